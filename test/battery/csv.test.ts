/**
 * --csv, --tsv and --json: separators, headers, byte order marks, -m, -c, --top, -o, and refused inputs.
 * features.ts sorts in chunks and spilled runs, from files and pipes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../keys/csv-reference.js';
import { sampled } from '../support/tier.js';
import { CSV_TEXTS, JSON_LINES, jsonName, jsonSecond, price } from './features.js';
import { commandLine, expectRefusal, sortHere } from './here.js';
import { type ModelOrder, sortCsv, sortJson } from './models.js';
import { expectSameBytes, freshDirectory, run, script } from './runner.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const [A, BARE, B] = CSV_TEXTS;
const HEADER_BYTES = BARE.length + 1;
const BY_PRICE: ModelOrder<ReturnType<typeof parseCsv>[number]> = { keys: [{ of: price }] };
const PRICE = ['--csv', '-k', 'the price:n'];
let cwd = '';
beforeAll(() => {
  cwd = freshDirectory('csv');
  const files = { a: A, bare: BARE, b: B, empty: '', other: 'id\n1\n', 'open-header': 'a,"b\n1,2\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text, 'latin1');
});

/** Sorts in this process and expects this output. `stdin`: a file there. */
async function expectOutput(args: readonly string[], expected: Buffer | string, stdin = ''): Promise<void> {
  const { status, stderr, stdout } = await sortHere(args, { cwd, stdin: latin1(stdin) });
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
  expectSameBytes(stdout, typeof expected === 'string' ? latin1(expected) : expected);
}

it('splits fields at tabs, or at the byte of -t', async () => {
  const tabs = A.replaceAll(',', '\t');
  const byNumber = ({ fields }: { fields: readonly string[] }): number => Number.parseFloat(fields[1] ?? '') || 0;
  const order = { keys: [{ of: byNumber }, { of: ({ fields }: { fields: readonly string[] }) => fields[2] ?? '' }] };
  await expectOutput(['--tsv', '-k2,2n', '-k3,3'], sortCsv([tabs], order, '\t'), tabs);
  const text = 'a;b\n"1;2";"x\ny"\n1;"2"\n,;1\n';
  await expectOutput(['--csv', '-t;', '-k', 'b:n'], 'a;b\n"1;2";"x\ny"\n,;1\n1;"2"\n', text);
});

it('sorts without a header, and with one of several records', async () => {
  const rows = A.slice(HEADER_BYTES);
  await expectOutput(['--csv', '--header', '0', '-k2,2n'], sortCsv([rows], BY_PRICE, ',', 0), rows);
  await expectOutput([...PRICE, '--header=2', 'a'], sortCsv([A], BY_PRICE, ',', 2));
});

it.each([
  ['keeps carriage returns before newlines', 'v', 'id,v\r\n1,"b"\r\n2,"a\r\nc"\r\n3,a\r\n', [0, 3, 2, 1]],
  ['keeps a byte order mark in front of the header', 'id,x:n', '\xef\xbb\xbf"id,x",v\n10,b\n2,a\n', [0, 2, 1]],
] as const)('%s', async (_, key, text, order) => {
  const records = parseCsv(text).map(({ raw }) => `${raw}\n`);
  await expectOutput(['--csv', '-k', key], order.map((i) => records[i]).join(''), text);
});

describe('the letter E', () => {
  const rows = ['1,,x', '2,5,y', '3,"",z', '4,-1,w', '5,0,v'];
  const written = (order: string): string => ['id,n,text', ...[...order].map((i) => rows[Number(i) - 1])].join('\n');
  const text = `${written('12345')}\n`;

  it.each([
    ['45213', ['-k', 'n:nE']],
    ['25413', ['-k', 'n:nrE']],
    ['25413', ['-k', 'n:Er']],
    ['45213', ['-k', '2,2nE']],
    // The last resort is reversed, too.
    ['45231', ['-r', '-k', 'n:nE,n:r']],
    ['25431', ['-k', 'n:nrE,id:nr']],
    ['45231', ['-k', 'n:nE,id:nr']],
    ['4521', ['-u', '-k', 'n:nE']],
    ['25413', ['--locale=en', '-k', 'n:rE']],
  ])('puts empty fields last: %s for %j', async (order, args) => {
    await expectOutput(['--csv', ...args, '--chunk-size=16', '--verify'], `${written(order)}\n`, text);
  });

  it('puts empty fields of lines last', async () => {
    await expectOutput(['-t:', '-k2,2nE'], 'z:1\ny:3\nw\nx:\n', 'x:\nw\ny:3\nz:1\n');
    await expectOutput(['-t:', '-s', '-k2,2nrE'], 'y:3\nz:1\nx:\nw\n', 'x:\nw\ny:3\nz:1\n');
  });

  it('puts missing values of JSON and null last, but not the text of null', async () => {
    const values = ['{"a":[1,2]}', '{"a":null}', '{}', '{"a":[null]}', '{"a":["null"]}', '{"a":[""]}'];
    const lines = `${values.join('\n')}\n`;
    const written = (order: readonly number[]): string => order.map((i) => `${values[i]}\n`).join('');
    await expectOutput(['-s', '--json', 'a.0:E'], written([0, 4, 5, 1, 2, 3]), lines);
    await expectOutput(['-s', '--json', 'a.0:rE'], written([4, 0, 5, 1, 2, 3]), lines);
    await expectOutput(['-u', '--json', 'a.0:E', '--chunk-size=16'], written([0, 4, 5, 1]), lines);
    await expectOutput(['-s', '--json', 'a.0:nE', '--verify'], written([4, 0, 5, 1, 2, 3]), lines);
    await expectOutput(['-s', '--json', 'a.0:VE'], written([0, 4, 5, 1, 2, 3]), lines);
    await expectOutput(['-s', '--locale=en', '--json', 'a.0:rE'], written([4, 0, 5, 1, 2, 3]), lines);
    await expectOutput(['-u', '--locale=en', '--json', 'a.0:E'], written([0, 4, 5, 1]), lines);
    // Without the letter, null is a text.
    await expectOutput(['-s', '--json', 'a.0'], written([1, 2, 5, 0, 3, 4]), lines);
  });
});

describe('a name that could be a KEYDEF', () => {
  const text = '2n,2E,b\n9,x,\n1,,x\n2,a,\n3,b,x\n';
  const [header, ...rows] = text.split('\n');
  it.each([
    // Up to the record's end, so that no key is empty.
    ['2E', [1, 2, 3, 0]],
    ['2rE', [0, 3, 2, 1]],
    ['2Er', [0, 3, 2, 1]],
    ['3E', [1, 3, 2, 0]],
    ['2,2E', [2, 3, 0, 1]],
    ['2n', [1, 2, 3, 0]],
    ['\\2E', [1, 2, 3, 0]],
    ['2E:E', [2, 3, 0, 1]],
    ['\\2E:rE', [0, 3, 2, 1]],
    ['\\2n:n', [1, 2, 3, 0]],
  ])('is one, unless a backslash precedes it: %s', async (key, order) => {
    await expectOutput(['--csv', '-k', key], [header, ...order.map((i) => rows[i]), ''].join('\n'), text);
  });
});

describe('a list of names', () => {
  const text = 'a,b,"a,b"\n2,1,3\n1,2,1\n1,1,2\n';
  it.each([
    // The header has this name.
    ['a,b', [1, 2, 0]],
    ['a,b:r', [0, 2, 1]],
    ['b,a', [2, 0, 1]],
    ['b:r,a', [1, 2, 0]],
    ['a:n,b:nr', [1, 2, 0]],
    ['a\\,b', [1, 2, 0]],
    ['a\\,b:r,b', [0, 2, 1]],
    ['b,a\\,b:E', [2, 0, 1]],
  ])('gives several keys: %s', async (key, order) => {
    const [header, ...rows] = text.split('\n');
    await expectOutput(['--csv', '-k', key], [header, ...order.map((i) => rows[i]), ''].join('\n'), text);
  });

  it.each([
    [['b,c'], "no field is named 'c'"],
    [['a:n,'], "invalid letters 'n,' in key 'a:n,'"],
    [['a,'], "no field is named 'a,'"],
    [['3EE '], "no field is named '3EE '"],
  ])('refuses %j', async ([key], message) => {
    const { status, stderr } = await sortHere(['--csv', '-k', key], { cwd, stdin: latin1(text) });
    expect([status, stderr.split('\n')[0]]).toEqual([2, `gpusort: ${message}`]);
  });
});

describe('--count', () => {
  const text = 'id,"na\nme"\n1,b\n2,"a\nc"\n3,b\n\n4,"b"\n5,"a\nc"\n';
  const rows = ['1,b', '2,"a\nc"', ''];
  const written = (head: string, ...lines: string[]): string => [head, ...lines, ''].join('\n');

  it('writes the number as the first field, with a name in the header', async () => {
    const sorted = written('count,id,"na\nme"', `1,${rows[2]}`, `2,${rows[1]}`, `3,${rows[0]}`);
    await expectOutput(['--csv', '--count', '--verify', '-k', 'na\nme'], sorted, text);
    await expectOutput(['--csv', '--count', '-k2,2', '--top', '1'], written('count,id,"na\nme"', '1,'), text);
    await expectOutput(['--csv', '--count', '--locale=de', '-k2,2', '--chunk-size=16'], sorted, text);
    const bare = written('count,id,"na\nme"', '1,', '1,1,b');
    await expectOutput(['--csv', '--count', '--bottom', '6', '--header=1'], bare, 'id,"na\nme"\n1,b\n\n');
  });

  it('writes no name without a header, and empty fields into a header of several records', async () => {
    await expectOutput(['--csv', '--count', '--header', '0'], '1,a\n2,b\n', 'b\na\nb\n');
    await expectOutput(['--csv', '--count', '--header', '2'], 'count,x\n,u\n2,b\n', 'x\nu\nb\nb\n');
    await expectOutput(['--csv', '--count'], '', '');
    await expectOutput(['--csv', '--count'], 'count,x\r\n2,b\r\n', 'x\r\nb\r\nb\r\n');
    await expectOutput(['--csv', '--count', '-t1'], 'count1x\n"2"1b\n', 'x\nb\nb\n');
    await expectOutput(['--tsv', '--count', '-k', 'x'], 'count\tx\n2\tb\n', 'x\nb\nb\n');
  });

  it('counts what is merged, by names in a language and with --debug', async () => {
    writeFileSync(join(cwd, 'm'), 'n,t\n1,"A"\n2,b\n');
    writeFileSync(join(cwd, 'n'), 'n,t\n3,a\n4,"B"\n');
    const folded = ['--csv', '-m', '-f', '-k', 't', 'm', 'n'];
    await expectOutput(['--count', ...folded], 'count,n,t\n2,1,"A"\n2,2,b\n');
    await expectOutput(['--count', '--locale=de', ...folded], 'count,n,t\n2,1,"A"\n2,2,b\n');
    await expectOutput(['--dupes-output', 'd', '--locale=de', ...folded], 'n,t\n1,"A"\n2,b\n');
    expect(readFileSync(join(cwd, 'd'), 'latin1')).toBe('n,t\n3,a\n4,"B"\n');
    const { stdout } = await sortHere(['--debug', '-s', ...folded], { cwd });
    expect(stdout.toString()).toBe('n,t\n1,"A"\n   _\n3,a\n  _\n2,b\n  _\n4,"B"\n   _\n');
  });

  it('is distributed', async () => {
    writeFileSync(join(cwd, 'c'), text);
    const words = 'gpusort --csv --count -k 2,2 c -o out --cluster local:2 --tasks 2 --work-dir . && cat out';
    const { stdout, stderr } = await script(words, { cwd });
    expect(stdout.toString()).toBe(written('count,id,"na\nme"', `1,${rows[2]}`, `2,${rows[1]}`, `3,${rows[0]}`));
    expect(stderr).toBe('');
  });
});

describe('--debug', () => {
  const shown = async (args: readonly string[], text: string): Promise<string> =>
    (await sortHere(['--csv', '--debug', ...args], { cwd, stdin: latin1(text) })).stdout.toString('latin1');

  it.each(['-k2,2', '-k2n -s', '-k1.2,2.1', '-k2.3,2', '-k1b,1 -u', '-r', '-k3', '-k2,2g -k1,1r', '-k5 -s', '-k2,1'])(
    'underlines fields without quotes as sort --debug does: %s',
    async (options) => {
      const text = 'a,12,x\n b ,-3.5,\n,,\n,7,zz,\nc\nab\tc, 1e2,\xe9\n';
      const words = options.split(' ');
      const { stdout } = await run('sort', ['-t,', '--debug', ...words], { stdin: latin1(text) });
      expect(await shown(['--header', '0', ...words], text)).toBe(stdout.toString('latin1'));
    },
  );

  it('underlines inside quotes, and shows newlines there as a character', async () => {
    const text = 'id,x\r\n"1","a\n""b",z\r\n2,"-4.5 "x,y\r\n';
    expect(await shown(['-s', '-k', 'x'], text)).toBe(
      ['id,x\r', '2,"-4.5 "x,y\r', '   _______', '"1","a|""b",z\r', '     _____', ''].join('\n'),
    );
    expect(await shown(['-s', '-k2.2,2.3', '-k1,1n'], text)).toBe(
      ['id,x\r', '"1","a|""b",z\r', '      ___', ' _', '2,"-4.5 "x,y\r', '    __', '_', ''].join('\n'),
    );
    expect(await shown(['-s', '-k2,2n', '-k3,4'], text)).toBe(
      [
        'id,x\r',
        '2,"-4.5 "x,y\r',
        '   ____',
        '           _',
        '"1","a|""b",z\r',
        '     ^ no match for key',
        '            _',
        '',
      ].join('\n'),
    );
  });
});

it('writes only the first or last records for --top and --bottom', async () => {
  const [header, ...rows] = parseCsv(sortCsv([A], BY_PRICE).toString('latin1')).map(({ raw }) => `${raw}\n`);
  await expectOutput([...PRICE, '--top', '5', 'a'], [header, ...rows.slice(0, 5)].join(''));
  await expectOutput([...PRICE, '--bottom', '5', 'a'], [header, ...rows.slice(-5)].join(''));
});

it('accepts inputs without rows, without records and without bytes', async () => {
  // Field names come from the first input that is not empty.
  await expectOutput([...PRICE, 'empty', '-'], sortCsv([B], BY_PRICE), B);
  await expectOutput([...PRICE, 'empty', 'bare', 'empty'], `${BARE}\n`);
  await expectOutput(['--csv', '-k', 'whatever', 'empty'], '');
  await expectOutput(['--csv', '-k', 'whatever', '-m', 'empty', '-'], '');
});

it('merges files and pipes with -m', async () => {
  for (const [name, text] of [
    ['a', A],
    ['b', B],
  ])
    writeFileSync(join(cwd, `${name}.sorted`), sortCsv([text], BY_PRICE));
  await expectOutput([...PRICE, '-m', 'a.sorted', 'bare', 'b.sorted', 'empty'], sortCsv([A, B], BY_PRICE));
  const merge =
    "gpusort -m --csv -k 'the price:n' --batch-size 2 empty <(cat b.sorted) a.sorted bare - -o out < b.sorted && cat out";
  expectSameBytes((await script(merge, { cwd })).stdout, sortCsv([B, A, B], BY_PRICE));
});

it.each([
  [PRICE, sortCsv([A], BY_PRICE).toString('latin1'), null],
  [PRICE, BARE, null],
  [['--csv', '-k', 'p:n'], 'id,p\n1,"1"\n"2\n\n",3\n"a\n""b""",2\n', '4: disorder: "a\n""b""",2'],
  [['--csv', '-u', '--header=0', '-k2,2n'], '"a\n1",1\nb,"1"\n', '2: disorder: b,"1"'],
  [['--json', 'a:n'], '{"a":2}\n{"a":10}\n{"a":9}\n', '3: disorder: {"a":9}'],
  [['--json', 'a:n'], '{"a":2}\n{"a":10}\n', null],
])('reports the first record out of order with -c: %s', async (args, input, disorder) => {
  writeFileSync(join(cwd, 'in'), input, 'latin1');
  const { status, stderr } = await sortHere([...args, '-c', 'in'], { cwd });
  expect([status, stderr]).toEqual(disorder === null ? [0, ''] : [1, `gpusort: in:${disorder}\n`]);
});

it('reads headers under --explain to check field names', async () => {
  const explain = "gpusort --explain --csv -k 'the price:n' a";
  expect(await script(explain, { cwd })).toMatchObject({ status: 0, stderr: '' });
  expect(await script(explain.replace('the price', 'price'), { cwd })).toMatchObject({ status: 2 });
});

it('replaces an input with -o, and leaves it unchanged on an error', async () => {
  const broken = 'n,m\n2,"x\n1,y\n';
  writeFileSync(join(cwd, 'broken'), broken);
  writeFileSync(join(cwd, 'mine'), 'n\n2\n1\n');
  expect(await commandLine('gpusort --csv -k n:n mine -o mine', cwd)).toMatchObject({ status: 0, stderr: '' });
  expect(await commandLine('gpusort --csv -k n:n broken -o broken', cwd)).toMatchObject({ status: 2 });
  expect(readFileSync(join(cwd, 'mine'), 'utf8')).toBe('n\n1\n2\n');
  expect(readFileSync(join(cwd, 'broken'), 'utf8')).toBe(broken);
});

describe('invalid CSV and differing headers', () => {
  const LONG = `a\n${'x,y\n'.repeat(700_000)}`;
  beforeAll(() => {
    writeFileSync(join(cwd, 'nul'), `${LONG}\0`);
    writeFileSync(join(cwd, 'open'), `${LONG}"\n`);
  });
  const nul = `byte ${LONG.length + 1} is NUL, which CSV cannot contain`;
  const open = `the quote at byte ${LONG.length + 1} is not closed`;
  const ROWS = [
    ['gpusort --csv nul', `nul: ${nul}`],
    ['gpusort --csv --header 0 < nul', `-: ${nul}`],
    ['cat nul | gpusort --csv -m', `-: ${nul}`],
    ['gpusort --csv -c nul', `nul: ${nul}`],
    ['gpusort --csv empty open', `open: ${open}`],
    ['cat open | gpusort --csv -k2', `-: ${open}`],
    ['gpusort --csv -m -k2 open', `open: ${open}`],
    ['gpusort --csv open-header', 'open-header: the quote at byte 3 is not closed'],
    ['gpusort --csv -k2 < open-header', '-: the quote at byte 3 is not closed'],
    ['gpusort --csv a other', 'other: header line 1 differs from that of a'],
    ['cat other | gpusort --csv a -', '-: header line 1 differs from that of a'],
    ['gpusort --csv -m other a', 'a: header line 1 differs from that of other'],
    ['gpusort --csv -k price:n a', "no field is named 'price'"],
    ['gpusort --csv -k price:n < a', "no field is named 'price'"],
    ['gpusort --csv -k price:n -m a b', "no field is named 'price'"],
    ['gpusort --csv -k price:n -c a', "no field is named 'price'"],
    ['gpusort --csv -k x <(echo x,y,x)', "2 fields are named 'x': 1, 3"],
  ] as const;
  const values = ([ours]: (typeof ROWS)[number]): readonly string[] => [/[|<]/.test(ours) ? 'process' : ours];
  it.each(sampled(ROWS, { count: ROWS.length, seed: 1, values }))('fail with a message: %s', async (ours, message) => {
    const { stdout } = await expectRefusal(ours, message, cwd);
    // A merge writes while it still reads.
    if (!ours.includes('-m')) expect(stdout.length).toBe(0);
  });
});

it('reads a file on standard input from its current position, block by block', async () => {
  const rows = Array.from({ length: 150_000 }, (_, i) => `row number ${i},${(i * 7919) % 1e6}\n`).join('');
  writeFileSync(join(cwd, 'many'), `one\ntwo\n${rows}`);
  const read = '{ head -c 0; read -r; read -r; gpusort --csv --header 0 -k2,2n; } < many';
  expectSameBytes(
    (await script(read, { cwd })).stdout,
    (await run('sort', ['-t,', '-k2,2n'], { stdin: Buffer.from(rows) })).stdout,
  );
});

describe('--json', () => {
  it('merges with -m', async () => {
    const order = { keys: [{ of: jsonName }, { of: jsonSecond, reverse: true }] };
    const sorted = (lines: readonly string[]): Buffer =>
      latin1(
        sortJson(lines, order)
          .map((line) => `${line}\n`)
          .join(''),
      );
    writeFileSync(join(cwd, 'c'), sorted(JSON_LINES.slice(0, 700)));
    writeFileSync(join(cwd, 'd'), sorted(JSON_LINES.slice(700)));
    await expectOutput(['--json', 'user.name', '--json=n.1:nr', '-m', 'c', 'd'], sorted(JSON_LINES));
  });

  it.each([
    [
      'accepts lines that end with NUL, and sorts invalid JSON first',
      ['-z', '--json', 'a'],
      '{"a":\n"x"}\0{"a":"b"}\0no JSON\0\0[]\0',
      '\0[]\0no JSON\0{"a":"b"}\0{"a":\n"x"}\0',
    ],
    ['uses the entire value if the path is empty', ['--json', ':n'], '"10"\n 9\n"-1"\n', '"-1"\n 9\n"10"\n'],
  ])('%s', (_, args, input, expected) => expectOutput(args, expected, input));
});
