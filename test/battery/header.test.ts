/**
 * --header and --header-prefix: inputs that are shorter than the header, pipes, other options, -m, -c and headers that
 * differ. The reference combines head, tail and sort. features.ts sorts in chunks and spilled runs.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { commandLine, expectRefusal, expectSameOutput } from './here.js';
import { freshDirectory, script } from './runner.js';

let cwd = '';
beforeAll(() => {
  cwd = freshDirectory('header');
  const below = randomBelow(51);
  const rows = (count: number): string =>
    Array.from({ length: count }, () => `${below(300)},${'x'.repeat(below(9))}`).join('\n');
  const records = (count: number): string =>
    Array.from({ length: count }, () => `${String(below(5000)).padStart(7, '0')}\n`).join('');
  const header = `zz,name\n${'#long'.repeat(20_000)}\n\n`;
  const recordHeader = 'zz-one-\nzz-two-\naa-thre\n';
  const files = {
    a: `${header}${rows(3000)}\n`,
    b: `${header}${rows(2000)}`,
    only: header,
    cut: 'zz,name',
    empty: '',
    c1: `#one\n#two\n${rows(50)}\n#three\n`,
    c2: `#one\n#two\n${rows(50)}\n`,
    // Records of 8 bytes are lines too: head, tail and sort are the reference.
    ra: recordHeader + records(3000),
    rb: recordHeader + records(500),
    ronly: recordHeader,
    rshort: recordHeader.slice(0, 8),
    rother: recordHeader.replace('two', 'TWO'),
    rodd: `${recordHeader}${records(4)}odd`,
    rtiny: 'zz-one-\nodd',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
});

/** Shell function: prints files from line 4 on. It adds the last newline, which file b lacks. */
const ROWS = 'rows() { for f; do tail -n +4 $f; [ $f = b ] && echo; done; };';
const R = '--record-size 8';

/** The kind of a row of the table; the quick tier takes each once. */
type Kind = 'alone' | 'limits' | 'short' | 'prefix' | 'options' | 'pipe' | 'merge';
const SCRIPTS: readonly (readonly [Kind, name: string, ours: string, reference: string])[] = [
  ['alone', 'no header', 'gpusort --header 0 a', 'sort a'],
  ['alone', 'an input as long as its header', 'gpusort --header 3 only', 'cat only'],
  [
    'pipe',
    'a file whose first line was read already',
    '{ head -c 0; read; gpusort --header 2; } < a',
    'tail -n +2 a | head -n 2; tail -n +4 a | sort',
  ],
  [
    'pipe',
    'pipes into a file',
    'gpusort --header 3 empty a <(cat b) -o out; cat out',
    `${ROWS} head -n 3 a; rows a b | sort`,
  ],
  [
    'short',
    'inputs shorter than the header',
    'gpusort --header 3 cut cut; cat cut | gpusort --header 3',
    'cat cut; echo; cat cut; echo',
  ],
  ['short', 'empty inputs', 'gpusort --header 2 empty; gpusort --header 2 < /dev/null', ''],
  [
    'prefix',
    'leading lines with a prefix',
    'gpusort --header-prefix # c1 c2',
    'head -n 2 c1; cat <(tail -n +3 c1) <(tail -n +3 c2) | sort',
  ],
  [
    'prefix',
    'leading lines with a prefix, in pipes',
    "gpusort --header-prefix '#t' <(tail -n +2 c1) - < <(tail -n +2 c2)",
    "echo '#two'; cat <(tail -n +3 c1) <(tail -n +3 c2) | sort",
  ],
  [
    'prefix',
    'an input of nothing but header lines',
    "gpusort --header-prefix '#' <(head -n 2 c1) c2",
    'head -n 2 c1; tail -n +3 c2 | sort',
  ],
  [
    'options',
    'lines that end with NUL',
    "tr '\\n' '\\0' < a | gpusort -z --header 3",
    "head -n 3 a | tr '\\n' '\\0'; tail -n +4 a | tr '\\n' '\\0' | sort -z",
  ],
  ['limits', 'the first records', 'gpusort --header 3 --top 5 a b', `${ROWS} head -n 3 a; rows a b | sort | head -n 5`],
  ['limits', 'no records', 'gpusort --header 3 --top 0 a b', 'head -n 3 a'],
  [
    'alone',
    'the last records',
    'gpusort --header 3 --bottom 5 a b',
    `${ROWS} head -n 3 a; rows a b | sort | tail -n 5`,
  ],
  ['limits', 'segments', 'gpusort --header 3 --segments blank a b', `${ROWS} head -n 3 a; rows a b | sort`],
  ['limits', 'counts', 'gpusort --count --header 3 a a', `${ROWS} head -n 3 a; rows a a | sort | uniq -c`],
  [
    'options',
    '-o that names an input',
    'cp a in; gpusort --header 3 in b -o in; cat in',
    `${ROWS} head -n 3 a; rows a b | sort`,
  ],
  [
    'merge',
    '-m of files and a pipe',
    'for f in a b; do gpusort --header 3 $f -o s$f; done; gpusort -m --header 3 sa sb only empty <(cat sb)',
    `${ROWS} head -n 3 a; rows a b b | sort`,
  ],
  [
    'merge',
    '-m of more files than are merged at once',
    'for f in a b; do gpusort --header 3 $f -o s$f; done; gpusort -m --header 3 --batch-size 2 sa sb sb sa',
    `${ROWS} head -n 3 a; rows a b b a | sort`,
  ],
  [
    'merge',
    '-m by keys',
    'for f in a b; do gpusort --header 3 -t, -k1,1n $f -o k$f; done; gpusort -m --header 3 -t, -k1,1n ka kb -o ka; cat ka',
    `${ROWS} head -n 3 a; rows a b | sort -t, -k1,1n`,
  ],
];

/** Binary records after a header of N records. The reference comes after `head -n 3 ra`. */
const OF_RECORDS: typeof SCRIPTS = [
  ['alone', 'one file', `gpusort ${R} --header 3 ra`, 'rows ra | sort'],
  ['alone', 'several files', `gpusort ${R} --header 3 ra rb ronly`, 'rows ra rb | sort'],
  ['alone', 'small chunks, reversed', `gpusort ${R} --header 3 -r --chunk-size 1K ra rb`, 'rows ra rb | sort -r'],
  ['pipe', 'a pipe', `cat ra | gpusort ${R} --header 3 - rb empty`, 'rows ra rb | sort'],
  ['alone', 'keys', `gpusort ${R} --header 3 -k 4:3 -s ra rb`, 'rows ra rb | sort -s -k1.5,1.7'],
  ['alone', 'numbers', `gpusort ${R} --header 3 -k 6:u8:r -k 0:u32be ra rb`, 'rows ra rb | sort -k1.7,1.7r -k1.1,1.4'],
  [
    'merge',
    'numbers, -m',
    `for f in ra rb; do gpusort ${R} --header 3 -k 6:u8:r $f -o k$f; gpusort -c ${R} --header 3 -k 6:u8:r k$f; done
     gpusort -m ${R} --header 3 -k 6:u8:r kra <(cat krb)`,
    'rows ra rb | sort -k1.7,1.7r',
  ],
  ['alone', 'the first ones', `gpusort ${R} --header 3 --top 5 ra`, 'rows ra | sort | head -n 5'],
  ['alone', 'distinct ones', `gpusort ${R} --header 3 -u ra rb`, 'rows ra rb | sort -u'],
  ['alone', '--verify', `gpusort ${R} --header 3 --verify ra rb`, 'rows ra rb | sort'],
  [
    'merge',
    '-m',
    `for f in ra rb; do gpusort ${R} --header 3 $f -o s$f; done; gpusort -m ${R} --header 3 sra srb <(cat srb)`,
    'rows ra rb rb | sort',
  ],
  ['short', 'nothing else', `gpusort ${R} --header 3 ronly; gpusort ${R} --header 2 empty`, 'true'],
];
const RECORDS: typeof SCRIPTS = OF_RECORDS.map(
  ([kind, name, ours, reference]) =>
    [kind, `${name}, binary records`, ours, `${ROWS} head -n 3 ra; ${reference}`] as const,
);
const SHORT: (typeof SCRIPTS)[number] = [
  'short',
  'fewer binary records than the header has',
  `gpusort ${R} --header 3 rshort; cat rshort rshort | gpusort ${R} --header 9`,
  'cat rshort rshort rshort',
];

const ALL = [...SCRIPTS, ...RECORDS, SHORT];
/** The quick tier takes each kind once, for lines and for binary records. */
const values = ([kind, , ours]: (typeof SCRIPTS)[number]): readonly string[] => [`${kind} ${ours.includes(R)}`];

it.each(sampled(ALL, { count: ALL.length, seed: 2, values }))(
  'writes the header, then the sorted rest: %s: %s',
  (_, __, ours, reference) => expectSameOutput(ours, reference, cwd),
);

it('checks lines after the header with -c, and numbers them from the first line of the file', async () => {
  await script('gpusort --header 3 a -o sorted; printf "z\\ny\\nb\\na\\n" > four; printf "#\\n#\\nb\\nb\\n" > equal', {
    cwd,
  });
  for (const ours of ['gpusort -c --header 3 sorted', 'gpusort -C --header 2 only'])
    expect(await commandLine(ours, cwd)).toMatchObject({ status: 0, stderr: '' });
  for (const [ours, stderr] of [
    ['gpusort -c --header 2 four', 'gpusort: four:4: disorder: a\n'],
    ['gpusort -cu --header-prefix # equal', 'gpusort: equal:4: disorder: b\n'],
    ['gpusort -c --header-prefix # c1', expect.stringMatching('disorder')],
  ])
    expect(await commandLine(ours, cwd)).toMatchObject({ status: 1, stderr });
});

it('checks binary records after the header with -c, and numbers them from the first of the file', async () => {
  await script(`gpusort ${R} --header 3 ra -o rsorted; cat ronly rsorted rsorted > rtwice; printf zbca > bytes`, {
    cwd,
  });
  expect(await commandLine(`gpusort -c ${R} --header 3 rsorted`, cwd)).toMatchObject({ status: 0, stderr: '' });
  expect(await commandLine(`gpusort -C ${R} --header 6 rtwice`, cwd)).toMatchObject({ status: 1 });
  expect(await commandLine('gpusort -c --record-size 1 --header 1 bytes', cwd)).toMatchObject({
    status: 1,
    stderr: 'gpusort: bytes:4: disorder: 61\n',
  });
});

const LEFT_OVER = 'bytes are not a whole number of 8-byte records: 3 bytes are left over';

describe('refused input', () => {
  const differing: readonly (readonly [ours: string, message: string])[] = [
    ['gpusort --header 3 a cut', 'cut: 1 header line, but a has 3'],
    ['gpusort --header-prefix # c1 a -o c1', 'a: 0 header lines, but c1 has 2'],
    ['gpusort --header 3 a c1 -o a', 'c1: header line 1 differs from that of a'],
    ['cat c1 | gpusort --header 3 a - -o a', '-: header line 1 differs from that of a'],
    ['cat c1 | gpusort --header 3 - a -o a', '-: header line 1 differs from that of a'],
    ['gpusort -m --header 2 c1 c2 a -o a', 'a: header line 1 differs from that of c1'],
    [`gpusort ${R} --header 3 ra rother`, 'rother: header record 2 differs from that of ra'],
    [`gpusort ${R} --header 3 ra rshort`, 'rshort: 1 header record, but ra has 3'],
  ];
  it.each(differing)('rejects differing headers, and leaves all files unchanged: %s', async (ours, message) => {
    await script('for f in a c1; do [ -e $f.before ] || cp $f $f.before; done', { cwd });
    expect((await expectRefusal(ours, message, cwd)).stdout.length).toBe(0);
    expect(await script('cmp a a.before && cmp c1 c1.before', { cwd })).toMatchObject({ status: 0 });
  });

  const partial: readonly (readonly [ours: string, message: string])[] = [
    [`gpusort ${R} --header 3 rodd`, `rodd: 59 ${LEFT_OVER}`],
    [`gpusort ${R} -m --header 3 rodd`, `rodd: 59 ${LEFT_OVER}`],
    [`gpusort ${R} --header 3 < rodd`, `-: 59 ${LEFT_OVER}`],
    [`gpusort ${R} --header 3 - < rtiny`, `-: 11 ${LEFT_OVER}`],
    [`cat rtiny | gpusort ${R} --header 3`, `-: 11 ${LEFT_OVER}`],
    [`cat rodd | gpusort ${R} --header 3`, `-: 59 ${LEFT_OVER}`],
    [`cat rodd | gpusort ${R} -m --header 3 ra -`, `-: 59 ${LEFT_OVER}`],
    [`head -c 43 rodd | gpusort ${R} -c --header 4`, `-: 43 ${LEFT_OVER}`],
  ];
  const isAlone = ([ours]: (typeof partial)[number]): readonly string[] => [/[|<]/.test(ours) ? 'process' : ours];
  it.each(sampled(partial, { count: partial.length, seed: 1, values: isAlone }))(
    'rejects a part of a binary record: %s',
    async (ours, message) => {
      await expectRefusal(ours, message, cwd);
    },
  );

  it.each([
    ['--header 1 --header-prefix x', "options '--header' and '--header-prefix' are incompatible"],
    ['--array u32 --header-prefix x', "options '--array u32' and '--header-prefix' are incompatible"],
    ['--record-size 4 --header-prefix x', "options '--record-size' and '--header-prefix' are incompatible"],
    ['--header -1', "invalid --header argument '-1'"],
    ['--header-prefix=', "invalid --header-prefix argument ''"],
    ["--header-prefix $'a\\nb'", "invalid --header-prefix argument 'a\\nb'"],
  ])('rejects %s', async (options, message) => {
    await expectRefusal(`gpusort ${options} a`, message, cwd);
  });
});

it('leaves no temporary files', () => {
  expect(readdirSync(cwd).filter((name) => name.includes('gpusort-'))).toEqual([]);
});
