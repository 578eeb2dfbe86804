/** Errors of options that only gpusort has, by topic: the message and the hint. */
import { describe, expect, it } from 'vitest';
import type { OptionRow } from '../../src/cli/options/option.js';
import { OPTIONS, rowOf } from '../../src/cli/options/table.js';
import { nearest } from '../../src/cli/parse/usage.js';
import { ALGORITHMS } from '../../src/job/algorithm-table.js';
import { type Arguments, errorOf, ourVerdict, wordsOf } from './arguments.js';

const HELP = "Try 'gpusort --help' for more information.";
const NAMES = 'u8 u16 u32 u64 u128 i8 i16 i32 i64 f32 f64';
const TYPES = `Use one of ${NAMES}, with le (the default) or be after it.`;
const PLACES =
  'Give OFFSET:LENGTH or OFFSET:TYPE, for example -k 0:10 or -k 8:u64le. OFFSET counts bytes from 0, and LENGTH is ' +
  'at least 1.';
const ARRAYS = 'Give TYPE or, for numbers with values that move with them, TYPE+TYPE; for example f64le or u32le+u64.';
const BINARY = 'Add --record-size: keys of OFFSET:LENGTH and OFFSET:TYPE are for binary records.';
const READABLE = 'Name the input files; all nodes of the cluster must be able to read them.';
const LOCAL = 'Write a number from 1 to 999 after local:, for example local:4.';
const ADDED = 'Add --cluster slurm, --cluster local:N or --cluster prepare.';
const NO_SEPARATOR = 'Give -t one byte that is not a quote, a newline, a carriage return or NUL.';
const COLUMN =
  "If it is the name of a column, add --csv (with -t SEP if commas do not separate columns): --csv -k 'price'.";
const COLON = 'Write \\: for a colon that is part of a name.';
const COMPRESSED = 'Add --output-format gzip, bgzf or zstd.';

/** Arguments, the message, and the hint if there is one. */
type Row = readonly [args: Arguments, message: string, hint?: string];

const ERRORS: Readonly<Record<string, readonly Row[]>> = {
  separators: [
    ['-t 12345', "separator '12345' is longer than 4 bytes"],
    ['-t || -t | -k1', 'incompatible tabs'],
    ['--csv -t ||', "invalid CSV separator '||'", NO_SEPARATOR],
    ['--csv -t "', "invalid CSV separator '\"'", NO_SEPARATOR],
    [['--csv', '-t', '\n'], "invalid CSV separator '\\n'", NO_SEPARATOR],
    [['--csv', '-t', '\r'], "invalid CSV separator '\\r'", NO_SEPARATOR],
    ['--csv -t \\0', "invalid CSV separator '\\000'", NO_SEPARATOR],
  ],
  numbers: [
    ['--record-size=0', '--record-size must be at least 1'],
    ['--record-size=4K', "invalid suffix in --record-size argument '4K'"],
    ['--chunk-size=0', '--chunk-size must be at least 1'],
    ['--chunk-size=5%', "invalid suffix in --chunk-size argument '5%'"],
    ['--tasks=0 --cluster=slurm', '--tasks must be at least 1'],
  ],
  'keys of segments': [
    ['--segment-by 1,1 --segment-by 2,2', 'multiple segment keys specified'],
    ['--segment-by 0', "field number is zero: invalid field specification '0'"],
    ['--segment-by 1,0.3', "field number is zero: invalid field specification '1,0.3'"],
    ['--segment-by 1.0', "character offset is zero: invalid field specification '1.0'"],
    ['--segment-by 1n', "stray character in field spec: invalid field specification '1n'"],
    ['--segment-by=1 --record-size=5', "invalid --segment-by argument '1'", PLACES.replaceAll('-k', '--segment-by')],
    ['--segment-by=1:5 --record-size=5', outside('1:5', '5 bytes', 'bytes 1 to 5')],
    ['--segment-by 6:4 --record-size=8', outside('6:4', '8 bytes', 'bytes 6 to 9')],
  ],
  'names of fields and paths of JSON': [
    ['--csv -k a:x', "invalid letters 'x' in key 'a:x'", letters('a:x')],
    ['--csv -k a:n:r', "invalid letters 'n:r' in key 'a:n:r'", letters('a:n:r')],
    ['--json a:n,2', "invalid letters 'n,2' in key 'a:n,2'", COLON],
    ['--csv -k a\\', "nothing after the backslash in 'a\\\\'"],
    ['--csv -k a:ng', "options '-gn' are incompatible"],
    ['--json a:ng', "options '-gn' are incompatible"],
    [
      '--csv --header 0 -k price:n',
      "cannot look up the field 'price': --header 0 says that there is no header",
      'Give the number of the field, for example -k 2,2.',
    ],
    ['-k price', "invalid number at field start: invalid count at start of 'price'", COLUMN],
  ],
  'keys of binary records without their size': [
    ...['0:4', '0:10', '0:u32', '0:4:bytes'].map(
      (key): Row => [`-k ${key}`, `field number is zero: invalid field specification '${key}'`, BINARY],
    ),
    ['-k 8:f64be:r', "stray character in field spec: invalid field specification '8:f64be:r'", BINARY],
    ['-k 0:x', "field number is zero: invalid field specification '0:x'"],
    ['-k 1x', "stray character in field spec: invalid field specification '1x'"],
    ['-k 0,4', "field number is zero: invalid field specification '0,4'"],
  ],
  'keys of binary records': [
    ...[
      ...[
        '',
        '0',
        '1',
        'x',
        '0:',
        ':4',
        '0:0',
        '0:0:u8',
        '0:4:',
        '-1:4',
        '1,2',
        '2n',
        '0:bytes',
        '0:bytes:r',
        '0::u32',
      ],
      ...['0:4:bytes:x', '0:u32:x', '0:u32:le', 'u64', '0 :4', '+0:4', '0x1:4', '0:4:u32:r:r'],
    ].map((key): Row => [['--record-size=99', '-k', key], `invalid -k argument '${key}'`, PLACES]),
    ['--record-size=10 --key=1', "invalid --key argument '1'", PLACES.replaceAll('-k', '--key')],
    ['--record-size=99 +1', "invalid + argument '+1'", PLACES],
    ...['0:f16', '0:U32', '0:u32LE', '0:i128', '0:int32', '0:4:n', '0:4:float', '0:r', '0:-4', '0:4 '].map(
      (key): Row => {
        const [word] = key.split(':').slice(-1);
        return [['--record-size=99', '-k', key], `unknown type '${word}' in -k argument '${key}'`, TYPES];
      },
    ),
    ['--record-size=99 -k 0:4:r:r', "unknown type 'r' in -k argument '0:4:r:r'", TYPES],
    ...[
      ['0:4:u64', 'u64 has 8 bytes', '0:u64'],
      ['3:2:u8:r', 'u8 has 1 byte', '3:u8'],
      ['0:10:f64be', 'f64be has 8 bytes', '0:f64be'],
    ].map(
      ([key, reason, better]): Row => [
        `--record-size=99 -k ${key}`,
        `key ${key} contradicts itself: ${reason}`,
        `Give ${better}, or another LENGTH or TYPE.`,
      ],
    ),
    ['--record-size=10 --key=5:6', outside('5:6', '10 bytes', 'bytes 5 to 10')],
    ['--record-size 8 -k 4:u64', outside('4:u64', '8 bytes', 'bytes 4 to 11')],
    ['--record-size 8 -k 8:1', outside('8:1', '8 bytes', 'byte 8')],
    ['--record-size 1 -k 0:1 -k 0:u16', outside('0:u16', '1 byte', 'bytes 0 to 1')],
    ['--record-size 8 -k 99999999999999999999:4', 'key 99999999999999999999:4 lies outside records of 8 bytes'],
  ],
  arrays: [
    ['--array u33', "unknown type 'u33' in --array argument 'u33'", TYPES],
    ['--array u32+int', "unknown type 'int' in --array argument 'u32+int'", TYPES],
    ['--array bytes', "unknown type 'bytes' in --array argument 'bytes'", TYPES],
    ...['', 'u32+', '+u32', 'f64+u32+u8', 'data/values.bin', '0:u32', '4'].map(
      (type): Row => [['--array', type], `invalid --array argument '${type}'`, ARRAYS],
    ),
    ['--array=u32 --array=u64', 'multiple array types specified'],
  ],
  clusters: [
    ['--cluster=slurm in', '--cluster needs -o FILE', 'Add -o FILE: several tasks cannot write to standard output.'],
    ['--cluster=slurm -o out', '--cluster cannot read standard input', READABLE],
    ['--cluster=slurm -o out a -', '--cluster cannot read standard input', READABLE],
    ...['local:', 'local', 'local:0', 'local:1000', 'local:2x'].map(
      (how): Row => [`--cluster=${how}`, `invalid number of processes in --cluster argument '${how}'`, LOCAL],
    ),
    [['--cluster=local:\n2'], "invalid number of processes in --cluster argument 'local:\\n2'", LOCAL],
    ['--cluster=local:2 --detach', '--detach needs --cluster slurm', 'Leave out --detach.'],
    ['--cluster=prepare --slurm-options=', '--slurm-options needs --cluster slurm', 'Leave out --slurm-options.'],
    ...['--tasks=3', '--work-dir=x', '--slurm-options=x', '--output-parts', '--detach -c'].map(
      (args): Row => [args, `${args.split(/[ =]/)[0]} needs --cluster`, ADDED],
    ),
    [
      '--cluster-task=x a',
      "extra operand 'a' not allowed with --cluster-task",
      'Leave it out: the job directory says which files are sorted.',
    ],
    ['--cluster-task=x --cluster-task=y', 'multiple cluster tasks specified'],
    ['--slurm-options=\xff', '--slurm-options is not valid UTF-8'],
  ],
  'compressed output': [
    ['--level=1', '--level needs compressed output', COMPRESSED],
    ['--output-format=gzip --level=10', "invalid --level argument '10'", 'Levels of gzip are 0 to 9.'],
    ['--output-format=zstd --level=0', "invalid --level argument '0'", 'Levels of zstd are 1 to 19.'],
    ['--output-format=zstd --level=20', "invalid --level argument '20'", 'Levels of zstd are 1 to 19.'],
  ],
  words: [
    [
      '--cluster=slrum',
      "invalid argument 'slrum' for '--cluster'",
      `Valid arguments are:\n  - 'slurm'\n  - 'local:N'\n  - 'prepare'\n${HELP}\nDid you mean 'slurm'?`,
    ],
    [
      '--engine tpu',
      "invalid argument 'tpu' for '--engine'",
      `Valid arguments are:\n  - 'auto'\n  - 'gpu'\n  - 'cpu'\n${HELP}`,
    ],
    ['--segments=lines', "invalid argument 'lines' for '--segments'", `Valid arguments are:\n  - 'blank'\n${HELP}`],
    [
      '--progress a',
      "ambiguous argument 'a' for '--progress'",
      `Valid arguments are:\n  - 'auto'\n  - 'always'\n  - 'never'\n${HELP}`,
    ],
    [
      '--completions=tcsh',
      "invalid argument 'tcsh' for '--completions'",
      `Valid arguments are:\n  - 'bash'\n  - 'zsh'\n  - 'fish'\n${HELP}`,
    ],
    [
      '--algorithm=bogo',
      "invalid argument 'bogo' for '--algorithm'",
      `Valid arguments are:\n${ALGORITHMS.map((name) => `  - '${name}'\n`).join('')}${HELP}`,
    ],
    [
      '--algorithm=bogo:search-wide',
      "invalid argument 'bogo' for '--algorithm'",
      `Valid arguments are:\n${ALGORITHMS.map((name) => `  - '${name}'\n`).join('')}${HELP}`,
    ],
    [
      '--algorithm=string-merge:prefix-3',
      "invalid tuning 'prefix-3': --algorithm string-merge has prefix-4, ties-in-merges, moving-windows",
    ],
    [
      '--algorithm=string-merge:prefix-4,',
      "invalid tuning '': --algorithm string-merge has prefix-4, ties-in-merges, moving-windows",
    ],
    ['--algorithm=auto:prefix-4', "invalid tuning 'prefix-4': --algorithm auto has no tunings"],
    ['--algorithm=quicksort:', "invalid tuning '': --algorithm quicksort has no tunings"],
    [
      '--algorithm=merge:search-wide,merge-windows,search-parts',
      "tunings 'search-wide' and 'search-parts' of --algorithm merge are incompatible",
    ],
  ],
};

function letters(key: string): string {
  return `Use --csv -k a:n instead of -k ${key}: the letters are those of options; write \\: for a colon in a name.`;
}

function outside(key: string, size: string, where: string): string {
  return `key ${key} lies outside records of ${size}: it is ${where}, counted from 0`;
}

it.each(Object.entries(ERRORS))('explains errors of %s', (_, rows) => {
  for (const [args, message, hint] of rows) {
    const error = errorOf(args, { programName: 'gpusort' });
    expect({ message: error.message, hint: error.hint }, String(args)).toEqual({ message, hint });
    expect(error.exitCode).toBe(2);
  }
});

describe('--locale', () => {
  it.each([
    ['xx', /: this runtime has no collation for its language\nGive another language: Node /],
    ['de_DE', /: it is not a language tag\nGive a tag, for example de, sv, en-US/],
    ['', /: it is not a language tag\n/],
    ['C', /: it is not a language tag\n/],
    ['de-u-ks-level1', /: its extension ks has no effect\nLeave it out: a tag may choose co/],
    ['de-u-kn-maybe', /: its extension kn has no effect\n/],
    ['de-u-kf-nonsense-co-phonebk', /: its extension kf has no effect\n/],
    ['de-u-co-foo', /: there is no collation foo\nGive one of these: .*phonebk/],
  ])('rejects %j', (tag, reason) => {
    const { stderr, status } = ourVerdict(['--locale', tag]);
    expect(stderr.startsWith(`sort: invalid --locale argument '${tag}': `)).toBe(true);
    expect(stderr).toMatch(reason);
    expect(status).toBe(2);
  });

  it('may be given only once', () => {
    expect(errorOf('--locale=de --locale=sv').message).toBe('multiple locales specified');
  });
});

/** A valid value of an option. */
function sampleOf(row: OptionRow): string {
  if (row.argument === undefined) return '';
  const samples: Record<string, string> = {
    key: '1',
    array: 'u32',
    json: 'a',
    'segment-by': '2',
    'field-separator': ',',
    locale: 'de',
  };
  return `=${row.words?.choices[0][0] ?? samples[row.long] ?? '3'}`;
}

const given = (row: OptionRow, value?: string): string =>
  `--${row.long}${value === undefined ? sampleOf(row) : `=${value}`}`;

describe('incompatible options', () => {
  it('are refused in both orders, for every pair of the option table', () => {
    const pairs = OPTIONS.flatMap((row) => {
      const { conflicts } = row;
      if (typeof conflicts === 'function')
        return ALGORITHMS.flatMap((name) =>
          conflicts({ algorithm: name, tunings: [] } as never).map((other) => [given(row, name), given(rowOf(other))]),
        );
      return (conflicts ?? []).map((other) => [given(row), given(rowOf(other))]);
    });
    expect(pairs.length).toBeGreaterThan(100);
    for (const [one, other] of pairs) {
      const verdict = ourVerdict([one, other]);
      expect(verdict.stderr, `${one} ${other}`).toMatch(/^sort: options '.*' are incompatible\n$/);
      expect(verdict.status).toBe(2);
      expect(ourVerdict([other, one])).toEqual(verdict);
    }
  });

  // Listed here, because no pair may leave the option table unnoticed.
  const PAIRS = `
    -C --verify | -c --top=1 | -m --segment-by=1 | -m --segments=blank | --header=1 --header-prefix=# |
    --top=1 --bottom=1 | --top=3 --segments=blank | --bottom=3 --segment-by=1 | --segment-by=1 --segments=blank |
    --count --segments=blank | --count -c | --record-size=8 -M | --record-size=10 -n | --record-size=10 -z |
    --record-size=9 --debug | --record-size=9 --locale=de | --record-size=9 --segments=blank |
    --csv --tsv | --csv --json=a | --csv -z | --csv --record-size=9 | --csv --segment-by=1 |
    --csv --header-prefix=# | --tsv --json=a | --tsv -z | --tsv --segments=blank |
    --json=a --record-size=9 | --json=a --debug | --cluster=slurm -C | --cluster=slurm --debug |
    --cluster-task=x --cluster=local:2 | --cluster-task=x -r`;
  it('are named as the user wrote them', () => {
    for (const words of PAIRS.split('|').map((pair) => pair.trim().split(' '))) {
      const names = words.map((word) => `'${word.replace(/=.*/, '')}'`).join(' and ');
      expect(ourVerdict(words)).toEqual({ stderr: `sort: options ${names} are incompatible\n`, status: 2 });
    }
  });

  it.each([
    ['-Co x', "'-Co'"],
    ['-C --debug', "'-C --debug'"],
    ['--output=x --debug', "'-o --debug'"],
    ['--check=explain -C', "'-cC'"],
    ['--algorithm=radix-refine --locale=de', "'--algorithm radix-refine' and '--locale'"],
    ['--top=3 --algorithm=sample-sort', "'--algorithm sample-sort' and '--top'"],
    ['--array=u32le+u64 -k0:4', "'--array u32le+u64' and '-k'"],
    ['--count --array=i8', "'--count' and '--array i8'"],
    ['--sort=month --record-size=8', "'--record-size' and '-M'"],
    ['-t, --record-size=10 -k0:1', "'--record-size' and '-t'"],
    ['--tsv -t ,', "'--tsv' and '-t'"],
    ['--json a -k 1', "'--json' and '-k'"],
    ['--json a +1', "'--json' and '-k'"],
    ['--cluster-task=x -rS1 --verify', "'--cluster-task' and '-r'"],
    ['--cluster-task=x -k1', "'--cluster-task' and '-k'"],
  ])('%s are called %s', (args, names) => {
    expect(ourVerdict(wordsOf(args)).stderr).toBe(`sort: options ${names} are incompatible\n`);
  });
});

describe('the nearest word', () => {
  it.each([
    ['uniqe', 'unique'],
    ['uniuqe', 'unique'],
    ['UNIQUE', 'unique'],
    ['outptu', 'output'],
    ['top', 'top'],
    ['tpo', 'top'],
  ])('to %s is %s', (word, expected) => {
    expect(nearest(word, ['output', 'unique', 'top'])).toBe(expected);
  });

  it('is not one with another first letter, unless that is swapped with the second one', () => {
    expect(nearest('date', ['mate', 'ate', 'adate'])).toBeUndefined();
    expect(nearest('tpu', ['auto', 'gpu', 'cpu'])).toBeUndefined();
    expect(nearest('amte', ['mate'])).toBe('mate');
  });

  it('does not exist if every word needs too many edits', () => {
    expect(nearest('config', ['contigs'])).toBeUndefined();
    expect(nearest('unstable', ['stable'])).toBeUndefined();
    for (const word of ['', 'x', 'to', 'foo', 'utility', 'uniqueness', 'unlikely'])
      expect(nearest(word, ['output', 'unique', 'top']), word).toBeUndefined();
  });

  it('is the one with the fewest edits, then the first', () => {
    expect(nearest('headers', ['hinders', 'header', 'headerd'])).toBe('header');
    expect(nearest('cup', ['auto', 'gpu', 'cpu'])).toBe('cpu');
    expect(nearest('numerik', ['generic', 'numeric'])).toBe('numeric');
  });
});

describe('a suggestion', () => {
  const hintOf = (args: string): string => ourVerdict(wordsOf(args), 'gpusort').stderr;

  it.each([
    ['--uniqe', '--unique'],
    ['--outptu=x', '--output'],
    ['--colour', '--color'],
    ['--ignorecase', '--ignore-case'],
  ])('for %s is %s', (option, meant) => {
    expect(hintOf(option)).toBe(`gpusort: unrecognized option '${option}'\n${HELP}\nDid you mean '${meant}'?\n`);
  });

  it.each([
    ['--sort=nmueric', 'numeric', 1],
    ['--check=explian', 'explain', 1],
    ['--engine=cup', 'cpu', 2],
    ['--algorithm=simple-sort', 'sample-sort', 2],
    ['--color=alwyas', 'always', 2],
    ['--stats=jsno', 'json', 2],
    ['--completions=zhs', 'zsh', 2],
  ])('for %s is the word %s', (option, meant, status) => {
    expect(hintOf(option).endsWith(`${HELP}\nDid you mean '${meant}'?\n`)).toBe(true);
    expect(errorOf(option).exitCode).toBe(status);
  });

  it('for the name of a column is --csv', () => {
    for (const key of ['price', 'price:n', '_x'])
      expect(hintOf(`-k ${key}`)).toBe(
        `gpusort: invalid number at field start: invalid count at start of '${key}'\n` +
          `If it is the name of a column, add --csv (with -t SEP if commas do not separate columns): --csv -k '${key}'.\n`,
      );
    for (const key of ['2x', ',2', '-1']) expect(hintOf(`-k${key}`), key).not.toContain('--csv');
    expect(ourVerdict(['-k', 'price'], 'sort').stderr).not.toContain('--csv');
  });

  it('for a negative number of records is the other end', () => {
    expect(hintOf('--top -1')).toBe(
      "gpusort: invalid --top argument '-1'\nTo write the last records only, give --bottom 1.\n",
    );
    expect(hintOf('--bottom=-20')).toContain('\nTo write the first records only, give --top 20.\n');
    expect(hintOf('--top=-x')).not.toContain('--bottom');
  });

  it.each([
    ['sv_SE.UTF-8', 'sv-SE'],
    ['de_DE@euro', 'de-DE'],
    ['zh_Hant_TW', 'zh-Hant-TW'],
  ])('for --locale=%s is %s', (locale, tag) => {
    expect(hintOf(`--locale=${locale}`)).toBe(
      `gpusort: invalid --locale argument '${locale}': it is not a language tag\nDid you mean '${tag}'?\n`,
    );
    expect(hintOf('--locale=C.UTF-8')).not.toContain('Did you mean');
  });

  it('is left out if nothing is near, if something else is wrong, and under the name sort', () => {
    for (const option of ['--foo', '--nonsense=3', '-Q', '--c', '--engine=quantum', '--progress=a', '--rev=3'])
      expect(hintOf(option).endsWith(`${HELP}\n`), option).toBe(true);
    for (const option of ['--uniqe', '--sort=nmueric', '--engine=cup'])
      expect(ourVerdict([option]).stderr.endsWith("Try 'sort --help' for more information.\n"), option).toBe(true);
  });
});
