/** Every error of the command line, compared with GNU sort's message and exit status. */
import { expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { gnuVerdicts, ourVerdict } from './arguments.js';

/** Command lines that both programs refuse with the same message, before they look at files. No file exists. */
const REFUSED: readonly string[][] = [
  ['-Q'],
  ['-rQ'],
  ['-z='],
  ['--foo'],
  ['--foo=bar'],
  ['--r'],
  ['--c', 'a'],
  ['--reverse=yes'],
  ['--rev=3'],
  ['--help=3'],
  ['-S'],
  ['-o'],
  ['-T'],
  ['-ro'],
  ['--output'],
  ['--parallel'],
  ['--buf'],
  ['-S', '5x', 'a'],
  ['-S', '', 'a'],
  ['-S', '1.5M'],
  ['-S', '-5'],
  ['-S', 'b'],
  ['-S', '5c'],
  ['-S', '5KK'],
  ['-S', '5MiB'],
  ['-S', '0x10'],
  ['-S', '5%%'],
  ['-S', '%'],
  ['-S', '16E'],
  ['-S', '5Y'],
  ['-S', '99999999999999999999999'],
  ['-S', '18446744073709551616b'],
  ['-S', '9999999999999999999%'],
  ['-S', '99999999999999999999999%'],
  ['-S', "x'y"],
  ['-S5', '-S', 'x'],
  ['-S', ' K'],
  ['-S', '+K'],
  ['-S', ' %'],
  ['--buffer-size=5x'],
  ['--buffer-size', '5x'],
  ['--parallel=0'],
  ['--parallel=x'],
  ['--parallel=3x'],
  ['--parallel=3K'],
  ['--parallel=-1'],
  ['--parallel='],
  ['-o', 'x', '-o', 'y', 'a'],
  ['-c', 'a', 'b'],
  ['-C', 'a', 'b'],
  ['-c', '-', '-'],
  ['-c', 'a', 'x y'],
  ['-c', 'a', "x'y"],
  ['-c', 'a', 'x\ny'],
  ['-cC', 'a'],
  ['-Cc', 'a'],
  ['-c', '--check=silent'],
  ['-co', 'x', 'a'],
  ['-Co', 'x', 'a'],
  ['-c', '-o', 'x', 'a', 'b'],
  ['-c', 'a', 'b', '-m'],
  ['-t', ''],
  ['-t,', '-t;', 'a'],
  ['-t', '\\1'],
  ['-t', '\\t'],
  ['-t', '\\\\', 'a'],
  ['-t\\0', '-t0'],
  ['-t', '-k2', 'a'],
  ['-t', '-n'],
  ['-t', '--st'],
  ['--check=foo'],
  ['--check='],
  ["--check=x'\\\n"],
  ['-S', '5x', '-Q'],
  ['-Q', '-S', '5x'],
  ['-cC', '--help'],
  // Keys.
  ['-k'],
  ['-k', '0'],
  ['-k', '1.0'],
  ['-k', '1,0'],
  ['-k', '1,0.3'],
  ['-k', ''],
  ['-k', 'x'],
  ['-k', '1x'],
  ['-k', '1,'],
  ['-k', '1.'],
  ['-k', '1.x'],
  ['-k', '-1'],
  ['-k', '1,2,3'],
  ['-k', '1,x'],
  ['-k', '1,-1'],
  ['-k', '1n,2y'],
  ['-k', '1,2.y'],
  ['-k', "x'y"],
  ['-k', '\xff\n'],
  ['-k', '99999999999999999999999999x'],
  ['-k', '1.1.1'],
  ['-k', '1 '],
  ['-k', '1b.2'],
  ['-k', '1,2.'],
  ['-k', '+'],
  ['-k', '++1'],
  ['-k', '1,2.+-3'],
  ['--key', 'x'],
  ['--key='],
  ['--key'],
  ['-k', '0', '-Q'],
  ['-Q', '-k', '0'],
  ['-nk', `${'1,1'.padEnd(40, 'n')}z`],
  ['-k', '0:x'],
  // Obsolescent keys.
  ['+1', '-2x'],
  ['+1', '-2.x', 'a'],
  ['+1n', '-2.'],
  ['+1', '-2n,3'],
  ['+1', '-2', '-k', '0'],
  ['+1gn', 'a'],
  ['+1M', '-2h'],
  // Incompatible orderings.
  ['-gn'],
  ['-ng'],
  ['-nM'],
  ['-gh'],
  ['-hR'],
  ['-nd'],
  ['-ni'],
  ['-nV'],
  ['-gd'],
  ['-id', '-M'],
  ['-bfrdnghiMRV'],
  ['-k1gn'],
  ['-k1g,2n'],
  ['-k1Mhb', '-k2gn'],
  ['-gn', '-k1', '-k2n'],
  ['-k1n', '-k2', '-gM'],
  ['-gn', '-c', 'a', 'b'],
  ['-gn', '-co', 'x'],
  ['-fdni', '-k', '2'],
  ['--sort=numeric', '--sort=month'],
  ['--sort=h', '-M'],
  ['--sort=foo'],
  ['--sort='],
  ['--sort', 'nn'],
  ['--sort'],
  ['--num', '--month'],
  ['--general-numeric-sort=3'],
  // Other options.
  ['-y'],
  ['-ry'],
  ['--random-source=x', '--random-source=y'],
  ['--compress-program=x', '--compress-program', 'y'],
  ['--compress-program'],
  ['--random-source'],
  ['--batch-size=1'],
  ['--batch-size=0'],
  ['--batch-size=x'],
  ['--batch-size', '5K'],
  ['--batch-size='],
  ['--batch-size=-1'],
  ['--batch-size=99999999'],
  ['--batch-size=99999999999999999999999999'],
  ['--batch-size=99999999999999999999999999x'],
  ['--batch-size=4294967298'],
  ['--debug', '-c'],
  ['--debug', '-C', 'a', 'b'],
  ['--debug', '-o', 'x'],
  ['--debug', '-co', 'x'],
  ['--debug=1'],
  ['-ng', '--debug', '-c'],
  ['--files0-from=x', 'a'],
  ['--files0-from=x', '-'],
  ['--files0-from', '-', "it's", 'b'],
  ['--files0-from=x', '-gn', 'a'],
  ['--files0-from'],
  ['--ra'],
  ['--random'],
  ['--s'],
  ['--ba=x'],
  ['--d'],
  ['--ignore'],
  ['--f'],
  ['--ke', '0'],
  ['--batch'],
  ['--m'],
  ['--v'],
];

/** Messages that are GNU sort's first line followed by a hint of our own. */
const HINTED =
  /((?:multi-character tab|invalid field specification) .*\n)(Let the shell make special bytes|Give the separator after -t|Add --record-size).*\n$/;

const gnu = gnuVerdicts(REFUSED);

it.each(REFUSED.map((args, i) => [args, i] as const))('%j is refused in the words of GNU sort', (args, i) => {
  const ours = ourVerdict(args);
  expect(ours.stderr.replace(HINTED, '$1')).toBe(gnu[i].stderr);
  expect(ours.status).toBe(gnu[i].status);
});

it('under the name gpusort, only the name and a suggestion at the end are different', () => {
  for (const args of REFUSED) {
    const { stderr, status } = ourVerdict(args, 'gpusort');
    const named = stderr.replace(/^gpusort: /gm, 'sort: ').replaceAll("'gpusort --help'", "'sort --help'");
    expect({ stderr: named.replace(/Did you mean '.*'\?\n$/, ''), status }, args.join(' ')).toEqual(ourVerdict(args));
  }
});

const below = randomBelow(911);
const pick = <T>(list: readonly T[]): T => list[below(list.length)];
const junk = (most: number, characters: string): string =>
  Array.from({ length: below(most) }, () => pick([...characters])).join('');

/** One or two random words, mostly nonsense. No separators of several bytes, and no options like --help. */
const WORDS: readonly (() => string[])[] = [
  () => ['-k', junk(9, '0123.,,bnrx +-:\t1122')],
  () => [`-k${junk(6, '123.,bnrdfgiMhRV')}`],
  () => [`+${junk(5, '0123.bnr ')}`, `-${junk(5, '0123.bnrx')}`],
  () => [`+${junk(5, '0123.bnr')}`],
  () => [`-t${pick([...',.+-'])}`],
  () => ['-t', pick(['', ',', '\\0', '\\', '.', '\\t'])],
  () => [`-${junk(5, 'bdfgiMhnrRVsuzm')}`],
  () => [`-S${junk(5, '0123456789KMGTbE%x ')}`],
  () => [
    `--${pick(['sort', 'so', 'key', 'k', 'num', 'month', 'random', 'random-so', 'ig', 'ignore-c', 'batch', 'bu', 'deb', 'd', 'dic', 'par', 'z', 'uni', 'rev', 'c', 'check'])}` +
      pick(['', '', `=${junk(4, '0123nmrvgx')}`]),
  ],
  () => ['--parallel', junk(4, '0123x+ ')],
  () => [`--batch-size=${junk(5, '01239x+ ')}`],
  () => [`-y${junk(3, '01r')}`],
  () => ['-y', junk(3, '01r')],
  () => [`--sort=${junk(3, 'nghmrvue')}`],
  () => ['-C'],
  () => ['-c'],
  () => ['-o', 'x'],
];

it('1,500 random command lines have the same first error, or none', () => {
  const commandLines = Array.from({ length: 1500 }, () => [
    '--debug',
    ...Array.from({ length: 1 + below(3) }, () => pick(WORDS)()).flat(),
  ]);
  const verdicts = gnuVerdicts(commandLines);
  let compared = 0;
  commandLines.forEach((args, i) => {
    // A word that parses as a file name: the parser opens no files, so there is nothing to compare.
    if (/^sort: (cannot read|open failed)/m.test(verdicts[i].stderr)) return;
    const ours = ourVerdict(args);
    expect({ ...ours, stderr: ours.stderr.replace(HINTED, '$1') }, args.join(' ')).toEqual(verdicts[i]);
    compared++;
  });
  expect(compared).toBeGreaterThan(1000);
});
