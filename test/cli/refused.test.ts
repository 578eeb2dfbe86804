/** Errors and --debug warnings of the command line that GNU sort has too: its message and exit status. */
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { property } from '../support/property.js';
import { gnuVerdicts, ourVerdict } from './arguments.js';

/**
 * Command lines, separated by `|`, that both programs refuse with the same message before they look at files. No file
 * exists. `''` is an empty word, `_` a space, `^` a newline.
 */
const REFUSED: Readonly<Record<string, string>> = {
  'unknown options': '-Q | -rQ | -z= | --foo | --foo=bar | -Q -S 5x',
  'ambiguous names': '--r | --c a | --ra | --random | --s | --ba=x | --d | --ignore | --f | --batch | --m | --v',
  'arguments of switches': `--reverse=yes | --rev=3 | --debug=1 | --general-numeric-sort=3`,
  'missing arguments': `-S | -o | -T | -ro | --output | --parallel | --buf | -k | --key | --sort | -y | -ry |
    --compress-program | --random-source | --files0-from`,
  sizes: `-S 5x a | -S '' a | -S 1.5M | -S -5 | -S b | -S 5c | -S 5KK | -S 5MiB | -S 0x10 | -S 5%% | -S % | -S 16E |
    -S 5Y | -S 99999999999999999999999 | -S 18446744073709551616b | -S 9999999999999999999% |
    -S 99999999999999999999999% | -S x'y | -S5 -S x | -S _K | -S +K | -S _% | --buffer-size=5x | --buffer-size 5x |
    -S 5x -Q`,
  numbers: `--parallel=0 | --parallel=x | --parallel=3x | --parallel=3K | --parallel=-1 | --parallel= |
    --batch-size=1 | --batch-size=0 | --batch-size=x | --batch-size 5K | --batch-size= | --batch-size=-1 |
    --batch-size=99999999 | --batch-size=99999999999999999999999999 | --batch-size=99999999999999999999999999x |
    --batch-size=4294967298`,
  'options given twice': `-o x -o y a | -t, -t; a | --random-source=x --random-source=y |
    --compress-program=x --compress-program y`,
  '-c and -C': `-c a b | -C a b | -c - - | -c a x_y | -c a x'y | -c a x^y | -cC a | -Cc a | -c --check=silent |
    -co x a | -Co x a | -c -o x a b | -c a b -m | --check=foo | --check= | --check=x'\\^ | -cC --help`,
  separators: `-t '' | -t \\1 | -t \\t | -t \\\\ a | -t\\0 -t0 | -t -k2 a | -t -n | -t --st`,
  keys: `-k 0 | -k 1.0 | -k 1,0 | -k 1,0.3 | -k '' | -k x | -k 1x | -k 1, | -k 1. | -k 1.x | -k -1 | -k 1,2,3 |
    -k 1,x | -k 1,-1 | -k 1n,2y | -k 1,2.y | -k x'y | -k \xff^ | -k 99999999999999999999999999x | -k 1.1.1 | -k 1_ |
    -k 1b.2 | -k 1,2. | -k + | -k ++1 | -k 1,2.+-3 | --key x | --key= | -k 0 -Q | -Q -k 0 | -k 0:x | --ke 0 |
    -nk 1,1nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnz`,
  'obsolescent keys': '+1 -2x | +1 -2.x a | +1n -2. | +1 -2n,3 | +1 -2 -k 0 | +1gn a | +1M -2h',
  'incompatible orderings': `-gn | -ng | -nM | -gh | -hR | -nd | -ni | -nV | -gd | -id -M | -bfrdnghiMRV | -k1gn |
    -k1g,2n | -k1Mhb -k2gn | -gn -k1 -k2n | -k1n -k2 -gM | -gn -c a b | -gn -co x | -fdni -k 2 |
    --sort=numeric --sort=month | --sort=h -M | --num --month`,
  'words of --sort': '--sort=foo | --sort= | --sort nn',
  '--debug': '--debug -c | --debug -C a b | --debug -o x | --debug -co x | -ng --debug -c',
  '--files0-from': `--files0-from=x a | --files0-from=x - | --files0-from - it's b | --files0-from=x -gn a`,
};

const linesOf = (list: string): string[][] =>
  list.split('|').map((line) =>
    line
      .trim()
      .split(/\s+/)
      .map((word) => (word === "''" ? '' : word.replaceAll('_', ' ').replaceAll('^', '\n'))),
  );

/** Messages that are GNU sort's first line followed by a hint of our own. */
const HINTED =
  /((?:multi-character tab|invalid field specification) .*\n)(Let the shell make special bytes|Give the separator after -t|Add --record-size).*\n$/;

/** The lines that gpusort adds under its own name: a guess, the hint about columns, and the words to use instead. */
const SUGGESTION = /^(?:Did you mean '.*'\?|If it is the name of a column, .*|Use .* instead of .*|Leave out .*)\n/m;

describe('the words of GNU sort', () => {
  it.each(Object.entries(REFUSED))('refuse %s', (_, list) => {
    const lines = linesOf(list);
    const gnu = gnuVerdicts(lines);
    for (const [i, args] of lines.entries()) {
      expect(gnu[i].status, args.join(' ')).toBeGreaterThan(0);
      const ours = ourVerdict(args);
      expect({ ...ours, stderr: ours.stderr.replace(HINTED, '$1') }, args.join(' ')).toEqual(gnu[i]);
    }
  });

  it('are the same under the name gpusort, except for the name and a suggestion', () => {
    for (const args of Object.values(REFUSED).flatMap(linesOf)) {
      const { stderr, status } = ourVerdict(args, 'gpusort');
      const named = stderr.replace(/^gpusort: /gm, 'sort: ').replaceAll("'gpusort --help'", "'sort --help'");
      expect({ stderr: named.replace(SUGGESTION, ''), status }, args.join(' ')).toEqual(ourVerdict(args));
    }
  });
});

/** Each warning of --debug, by words of it, and command lines that cause it. */
const WARNED: Readonly<Record<string, string>> = {
  'obsolescent key': '+1 | +1 -2 | +1.2n -0.3r',
  'zero width': '-k3,2 | -k2,1n',
  'leading blanks': '-k2 | -k1.2,1.3 | -k2b,2.3 | -k2.2n | -k2M',
  'spans multiple fields': '-k1n | -k1,2g | -k2h -t,',
  'minus sign': '-t- -k1n',
  'plus sign': '-t+ -k1g',
  'treated as a decimal point': '-t. -k1n',
  'as a decimal point in this locale': '-n | -k1,1g | -t. -k1,1h',
  'is ignored': '-n -k1,1g | -b -k1,1n | -rs -k1,1r -k2,2n',
  'are ignored': '-bn -k1,1g | -dfr -k1,1n -u',
  'last-resort': '-r -k1,1n | -rn -k1,1g',
};

it.each(Object.entries(WARNED))('--debug warns in the words of GNU sort: %s', (words, list) => {
  const lines = linesOf(list).map((args) => ['--debug', ...args]);
  const gnu = gnuVerdicts(lines);
  expect(gnu.map(({ stderr }) => stderr).join('')).toContain(words);
  expect(lines.map((args) => ourVerdict(args))).toEqual(gnu);
});

const junk = (most: number, characters: string): Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...characters), maxLength: most - 1 });
const oneOf = (words: string): Arbitrary<string> => fc.constantFrom(...words.split(' '));

/** One or two words, mostly nonsense. No separators of several bytes, and no options like --help. */
const NONSENSE: Arbitrary<string[]> = fc.oneof(
  junk(9, '0123.,,bnrx +-:\t1122').map((key) => ['-k', key]),
  junk(6, '123.,bnrdfgiMhRV').map((key) => [`-k${key}`]),
  fc.tuple(junk(5, '0123.bnr '), junk(5, '0123.bnrx')).map(([first, second]) => [`+${first}`, `-${second}`]),
  junk(5, '0123.bnr').map((key) => [`+${key}`]),
  fc.constantFrom(...',.+-').map((separator) => [`-t${separator}`]),
  fc.constantFrom('', ',', '\\0', '\\', '.', '\\t').map((separator) => ['-t', separator]),
  junk(5, 'bdfgiMhnrRVsuzm').map((letters) => [`-${letters}`]),
  junk(5, '0123456789KMGTbE%x ').map((size) => [`-S${size}`]),
  fc
    .tuple(
      oneOf('sort so key k num month random random-so ig ignore-c batch bu deb d dic par z uni rev c check'),
      fc.option(junk(4, '0123nmrvgx'), { freq: 1 }),
    )
    .map(([name, value]) => [value === null ? `--${name}` : `--${name}=${value}`]),
  junk(4, '0123x+ ').map((number) => ['--parallel', number]),
  junk(5, '01239x+ ').map((number) => [`--batch-size=${number}`]),
  junk(3, '01r').map((word) => [`-y${word}`]),
  junk(3, '01r').map((word) => ['-y', word]),
  junk(3, 'nghmrvue').map((word) => [`--sort=${word}`]),
  oneOf('-C -c -ox').map((word) => [word]),
);

/** Ordering letters. Mostly none, because many command lines should be valid. */
const LETTERS = fc.oneof({ weight: 2, arbitrary: fc.constant('') }, junk(3, 'bbdfgiMhnnrrRV'));
const place = (first: number): Arbitrary<string> =>
  fc
    .tuple(fc.nat(2), fc.option(fc.nat(2), { freq: 2 }), LETTERS)
    .map(([field, byte, letters]) => `${first + field}${byte === null ? '' : `.${first + byte}`}${letters}`);
const VALID: Arbitrary<string[]> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(place(1), place(1)).map((places) => ['-k', places.join(',')]) },
  { weight: 1, arbitrary: place(1).map((key) => ['-k', key]) },
  { weight: 1, arbitrary: fc.tuple(place(0), place(0)).map(([first, second]) => [`+${first}`, `-${second}`]) },
  { weight: 1, arbitrary: place(0).map((key) => [`+${key}`]) },
  { weight: 3, arbitrary: oneOf('-b -d -f -i -n -g -r -r -h -M -V -R -s -u -z --sort=n').map((word) => [word]) },
  { weight: 1, arbitrary: fc.constantFrom(',', '.', '-', '+', '\\0', ' ').map((byte) => [`-t${byte}`]) },
);

const LINES = 300;

/** Many command lines together: a shell starts GNU sort for all of them. Smaller lists would not show more. */
const commandLines = (word: Arbitrary<string[]>, most: number): Arbitrary<string[][]> =>
  fc.noShrink(
    fc.array(
      fc.array(word, { maxLength: most }).map((words) => ['--debug', ...words.flat()]),
      { minLength: LINES, maxLength: LINES, size: 'max' },
    ),
  );

function expectSame(lines: readonly string[][]): { compared: number; valid: number } {
  const verdicts = gnuVerdicts(lines);
  // A word that parses as a file name: the parser opens no files, so there is nothing to compare.
  const named = /^sort: (cannot read|open failed)/m;
  const compared = [...lines.keys()].filter((i) => !named.test(verdicts[i].stderr));
  for (const i of compared) {
    const ours = ourVerdict(lines[i]);
    expect({ ...ours, stderr: ours.stderr.replace(HINTED, '$1') }, lines[i].join(' ')).toEqual(verdicts[i]);
  }
  return {
    compared: compared.length,
    valid: verdicts.filter(({ status }) => status === 0).length,
  };
}

describe('random command lines', () => {
  property(
    'of nonsense have the same first error, or none',
    [commandLines(NONSENSE, 3)],
    (lines) => {
      expect(expectSame(lines).compared).toBeGreaterThan((2 / 3) * LINES);
    },
    { runs: 5 },
  );

  property(
    'of keys and orderings have the same warnings and errors',
    [commandLines(VALID, 5)],
    (lines) => {
      expect(expectSame(lines).valid).toBeGreaterThan(LINES / 3);
    },
    { runs: 5 },
  );
});
