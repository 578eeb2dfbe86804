/** --header and --header-prefix through the program, on each engine. The reference combines head, tail and sort. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasGpu } from '../setup/gpu.js';
import { randomBelow } from '../support/random.js';
import { expectSameBytes, freshDirectory, script } from './runner.js';

const below = randomBelow(51);
let cwd = '';
beforeAll(() => {
  cwd = freshDirectory('header');
  const rows = (count: number): string =>
    Array.from({ length: count }, () => `${below(300)},${'x'.repeat(below(9))}`).join('\n');
  const header = `zz,name\n${'#long'.repeat(20_000)}\n\n`;
  writeFileSync(join(cwd, 'a'), `${header}${rows(3000)}\n`);
  writeFileSync(join(cwd, 'b'), `${header}${rows(2000)}`);
  writeFileSync(join(cwd, 'only'), header);
  writeFileSync(join(cwd, 'cut'), 'zz,name');
  writeFileSync(join(cwd, 'empty'), '');
  writeFileSync(join(cwd, 'c1'), `#one\n#two\n${rows(50)}\n#three\n`);
  writeFileSync(join(cwd, 'c2'), `#one\n#two\n${rows(50)}\n`);
});

async function same(ours: string, reference: string): Promise<void> {
  const [actual, expected] = await Promise.all([script(ours, { cwd }), script(reference, { cwd })]);
  expect({ ours, status: actual.status, stderr: actual.stderr }).toEqual({ ours, status: 0, stderr: '' });
  expectSameBytes(actual.stdout, expected.stdout);
}

/** Shell function: prints files from line 4 on. File b lacks its last newline, so it adds one. */
const ROWS = 'rows() { for f; do tail -n +4 $f; [ $f = b ] && echo; done; };';

describe.each(hasGpu() ? ['cpu', 'gpu'] : ['cpu'])('with --engine %s', (engine) => {
  const options =
    engine === 'cpu'
      ? ['', '-r --chunk-size 8K', '-t, -k2,2 -s -S 64K --chunk-size 8K -T .', '-u']
      : ['-t, -k1,1n --chunk-size 16K'];
  it.each(options)('keeps the header first in files and pipes, %s', async (how) => {
    const plain = how.replace(/--chunk-size \w+|-S 64K|-T \./g, '');
    await same(
      `gpusort --engine ${engine} --header 3 ${how} a b only`,
      `${ROWS} head -n 3 a; rows a b only | sort ${plain}`,
    );
    if (engine === 'gpu') return;
    await same(
      `cat a | gpusort --engine ${engine} --header 3 ${how} - b empty`,
      `${ROWS} head -n 3 a; rows a b | sort ${plain}`,
    );
    await same(
      `gpusort --engine ${engine} --header 3 ${how} empty a <(cat b) -o out; cat out`,
      `${ROWS} head -n 3 a; rows a b | sort ${plain}`,
    );
  });
});

it.each([
  [
    'a file whose first line was read already',
    '{ head -c 0; read; gpusort --header 2; } < a',
    'tail -n +2 a | head -n 2; tail -n +4 a | sort',
  ],
  ['an input as long as its header', 'gpusort --header 3 only', 'cat only'],
  [
    'inputs shorter than the header',
    'gpusort --header 3 cut cut; cat cut | gpusort --header 3',
    'cat cut; echo; cat cut; echo',
  ],
  ['empty inputs', 'gpusort --header 2 empty; gpusort --header 2 < /dev/null', ''],
  ['no header', 'gpusort --header 0 a', 'sort a'],
  [
    'leading lines with a prefix',
    "gpusort --header-prefix '#' c1 c2",
    'head -n 2 c1; cat <(tail -n +3 c1) <(tail -n +3 c2) | sort',
  ],
  [
    'leading lines with a prefix, in pipes',
    "gpusort --header-prefix '#t' <(tail -n +2 c1) - < <(tail -n +2 c2)",
    "echo '#two'; cat <(tail -n +3 c1) <(tail -n +3 c2) | sort",
  ],
  [
    'an input of nothing but header lines',
    "gpusort --header-prefix '#' <(head -n 2 c1) c2",
    'head -n 2 c1; tail -n +3 c2 | sort',
  ],
  [
    'lines that end with NUL',
    "tr '\\n' '\\0' < a | gpusort -z --header 3",
    "head -n 3 a | tr '\\n' '\\0'; tail -n +4 a | tr '\\n' '\\0' | sort -z",
  ],
  ['the first records', 'gpusort --header 3 --top 5 a b', `${ROWS} head -n 3 a; rows a b | sort | head -n 5`],
  ['no records', 'gpusort --header 3 --top 0 a b', 'head -n 3 a'],
  ['the last records', 'gpusort --header 3 --bottom 5 a b', `${ROWS} head -n 3 a; rows a b | sort | tail -n 5`],
  ['-o that names an input', 'cp a in; gpusort --header 3 in b -o in; cat in', `${ROWS} head -n 3 a; rows a b | sort`],
  ['segments', 'gpusort --header 3 --segments blank a b', `${ROWS} head -n 3 a; rows a b | sort`],
  [
    '-m',
    '(head -n 3 a; tail -n +4 a | sort) > sa; (head -n 3 b; (tail -n +4 b; echo) | sort) > sb; gpusort -m --header 3 sa sb only empty <(cat sb)',
    `${ROWS} head -n 3 a; rows a b b | sort`,
  ],
  [
    '-m of more files than are merged at once',
    'gpusort -m --header 3 --batch-size 2 sa sb sb sa',
    `${ROWS} head -n 3 a; rows a b b a | sort`,
  ],
  [
    '-m by keys',
    'for f in a b; do gpusort --header 3 -t, -k1,1n $f -o k$f; done; gpusort -m --header 3 -t, -k1,1n ka kb -o ka; cat ka',
    `${ROWS} head -n 3 a; rows a b | sort -t, -k1,1n`,
  ],
])('writes the header, then the sorted rest: %s', (_, ours, reference) => same(ours, reference));

it('checks lines after the header with -c, and numbers them from the first line of the file', async () => {
  expect(await script('gpusort -c --header 3 sa && gpusort -C --header 2 only', { cwd })).toMatchObject({
    status: 0,
    stderr: '',
  });
  expect(await script("printf 'z\\ny\\nb\\na\\n' | gpusort -c --header 2", { cwd })).toMatchObject({
    status: 1,
    stderr: 'gpusort: -:4: disorder: a\n',
  });
  expect(await script("gpusort -c --header-prefix '#' c1", { cwd })).toMatchObject({ status: 1 });
  expect(await script("printf '#\\n#\\nb\\nb\\n' | gpusort -cu --header-prefix '#'", { cwd })).toMatchObject({
    status: 1,
    stderr: 'gpusort: -:4: disorder: b\n',
  });
});

describe('differing headers', () => {
  it.each([
    ['gpusort --header 3 a cut', 'cut: 1 header line, but a has 3'],
    ["gpusort --header-prefix '#' c1 a -o c1", 'a: 0 header lines, but c1 has 2'],
    ['gpusort --header 3 a c1 -o a', 'c1: header line 1 differs from that of a'],
    ['cat c1 | gpusort --header 3 a - -o a', '-: header line 1 differs from that of a'],
    ['cat c1 | gpusort --header 3 - a -o a', '-: header line 1 differs from that of a'],
    ['gpusort -m --header 2 c1 c2 a -o a', 'a: header line 1 differs from that of c1'],
  ])('fail and leave all files unchanged: %s', async (ours, message) => {
    const { stdout, stderr, status } = await script(
      `cp a a.before; cp c1 c1.before; ${ours}; s=$?; cmp a a.before && cmp c1 c1.before; exit $s`,
      { cwd },
    );
    expect({ status, stdout: stdout.toString(), stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: `gpusort: ${message}\n`,
    });
  });
});

/** Records of 8 bytes that are lines too, so that head, tail and sort are the reference. */
describe('with binary records, --header N', () => {
  const R = '--record-size 8';
  beforeAll(() => {
    const rows = (count: number): string =>
      Array.from({ length: count }, () => `${String(below(5000)).padStart(7, '0')}\n`).join('');
    const header = 'zz-one-\nzz-two-\naa-thre\n';
    writeFileSync(join(cwd, 'ra'), header + rows(3000));
    writeFileSync(join(cwd, 'rb'), header + rows(500));
    writeFileSync(join(cwd, 'ronly'), header);
    writeFileSync(join(cwd, 'rshort'), header.slice(0, 8));
    writeFileSync(join(cwd, 'rother'), header.replace('two', 'TWO'));
    writeFileSync(join(cwd, 'rodd'), `${header}${rows(4)}odd`);
    writeFileSync(join(cwd, 'rtiny'), 'zz-one-\nodd');
  });

  it.each([
    ['one file', `gpusort ${R} --header 3 ra`, 'rows ra | sort'],
    ['several files', `gpusort ${R} --header 3 ra rb ronly`, 'rows ra rb | sort'],
    ['small chunks, reversed', `gpusort ${R} --header 3 -r --chunk-size 1K ra rb`, 'rows ra rb | sort -r'],
    ['a pipe', `cat ra | gpusort ${R} --header 3 - rb empty`, 'rows ra rb | sort'],
    ['keys', `gpusort ${R} --header 3 -k 4:3 -s ra rb`, 'rows ra rb | sort -s -k1.5,1.7'],
    ['numbers', `gpusort ${R} --header 3 -k 6:u8:r -k 0:u32be ra rb`, 'rows ra rb | sort -k1.7,1.7r -k1.1,1.4'],
    [
      'numbers, -m',
      `for f in ra rb; do gpusort ${R} --header 3 -k 6:u8:r $f -o k$f; gpusort -c ${R} --header 3 -k 6:u8:r k$f; done
       gpusort -m ${R} --header 3 -k 6:u8:r kra <(cat krb)`,
      'rows ra rb | sort -k1.7,1.7r',
    ],
    ['the first ones', `gpusort ${R} --header 3 --top 5 ra`, 'rows ra | sort | head -n 5'],
    ['distinct ones', `gpusort ${R} --header 3 -u ra rb`, 'rows ra rb | sort -u'],
    ['--verify', `gpusort ${R} --header 3 --verify ra rb`, 'rows ra rb | sort'],
    [
      '-m',
      `for f in ra rb; do gpusort ${R} --header 3 $f -o s$f; done; gpusort -m ${R} --header 3 sra srb <(cat srb)`,
      'rows ra rb rb | sort',
    ],
    ['nothing else', `gpusort ${R} --header 3 ronly; gpusort ${R} --header 2 empty`, 'true'],
  ])('keeps N records first: %s', (_, ours, reference) => same(ours, `${ROWS} head -n 3 ra; ${reference}`));

  it('keeps all records of an input that has fewer', () =>
    same(`gpusort ${R} --header 3 rshort; cat rshort rshort | gpusort ${R} --header 9`, 'cat rshort rshort rshort'));

  it('checks the records after them, and counts from the first of the file', async () => {
    expect(await script(`gpusort -c ${R} --header 3 sra`, { cwd })).toMatchObject({ status: 0, stderr: '' });
    expect(await script(`cat ronly sra sra | gpusort -C ${R} --header 6`, { cwd })).toMatchObject({
      status: 1,
    });
    expect(await script(`printf 'zbca' | gpusort -c --record-size 1 --header 1`, { cwd })).toMatchObject({
      status: 1,
      stderr: 'gpusort: -:4: disorder: 61\n',
    });
  });

  it.each([
    ['--header 3 ra rother', 'rother: header record 2 differs from that of ra'],
    ['--header 3 ra rshort', 'rshort: 1 header record, but ra has 3'],
    ['--header 3 rodd', 'rodd: 59 bytes are not a whole number of 8-byte records: 3 bytes are left over'],
    ['--header 3 <rodd', '-: 59 bytes are not a whole number of 8-byte records: 3 bytes are left over'],
    ['-m --header 3 rodd', 'rodd: 59 bytes are not a whole number of 8-byte records: 3 bytes are left over'],
    ['-m --header 3 ra <(cat rodd)', '63: 59 bytes are not a whole number of 8-byte records: 3 bytes are left over'],
    [
      '-c --header 4 <(head -c 43 rodd)',
      '63: 43 bytes are not a whole number of 8-byte records: 3 bytes are left over',
    ],
    ['--header 3 - <rtiny', '-: 11 bytes are not a whole number of 8-byte records: 3 bytes are left over'],
    ['--header 3 <(cat rtiny)', '63: 11 bytes are not a whole number of 8-byte records: 3 bytes are left over'],
    ['--header 3 <(cat rodd)', '63: 59 bytes are not a whole number of 8-byte records: 3 bytes are left over'],
  ])('are refused: %s', async (options, message) => {
    const { status, stderr } = await script(`gpusort ${R} ${options}`, { cwd });
    expect({ status, message: stderr.split('\n')[0].replace('/dev/fd/', '') }).toEqual({
      status: 2,
      message: `gpusort: ${message}`,
    });
  });
});

it.each([
  ['--header 1 --header-prefix x', "options '--header' and '--header-prefix' are incompatible"],
  ['--array u32 --header-prefix x', "options '--array u32' and '--header-prefix' are incompatible"],
  ['--record-size 4 --header-prefix x', "options '--record-size' and '--header-prefix' are incompatible"],
  ['--header -1', "invalid --header argument '-1'"],
  ["--header-prefix ''", "invalid --header-prefix argument ''"],
  ["--header-prefix $'a\\nb'", "invalid --header-prefix argument 'a\\nb'"],
])('rejects %s', async (options, message) => {
  const { status, stderr } = await script(`gpusort ${options} a`, { cwd });
  expect({ status, message: stderr.split('\n')[0] }).toEqual({ status: 2, message: `gpusort: ${message}` });
});

it('leaves no temporary files', () => {
  expect(readdirSync(cwd).filter((name) => name.includes('gpusort-'))).toEqual([]);
});
