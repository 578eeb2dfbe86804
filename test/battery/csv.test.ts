/**
 * --csv and --tsv through the program, on each engine: in chunks and runs of all sizes, from files and pipes, with -m
 * and -c. The reference is a simple sort of the records that a simple CSV parser finds.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CsvRecord, parseCsv } from '../keys/csv-reference.js';
import { hasGpu } from '../setup/gpu.js';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';
import { expectSameBytes, freshDirectory, gpusort, run, script } from './runner.js';

const below = randomBelow(61);
const HEADER = 'id,"the price","note, if\nany",code';
const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
/**
 * A row: an id; a price, sometimes quoted; a note with everything that needs quotes, one in 700 longer than the small
 * chunks; and a code with few distinct values, which one row in nine lacks.
 */
function row(i: number): string {
  const price = `${below(5) === 0 ? '-' : ''}${below(60)}${['', '.5', '.25'][below(3)]}`;
  const words =
    Array.from(
      { length: below(4) },
      () => ['fine', 'Fine', 'two\nlines', '"so"', 'a, b', ' ', 'caf\xc3\xa9', '\xff'][below(8)],
    ).join('') + (i % 700 === 0 ? 'long\n'.repeat(2000) : '');
  const note = below(3) === 0 || /[",\n]/.test(words) ? quote(words) : words;
  return [
    i % 97,
    below(4) === 0 ? quote(price) : price,
    note,
    ...(below(9) === 0 ? [] : [['x', 'Y', 'y', '"X"'][below(4)]]),
  ].join(',');
}

let cwd = '';
const FILES = ['a', 'b', 'bare', 'empty'] as const;
const texts = {
  a: `${HEADER}\n${Array.from({ length: 2500 }, (_, i) => row(i)).join('\n')}\n`,
  b: `${HEADER}\n${Array.from({ length: 1200 }, (_, i) => row(i + 1)).join('\n')}`,
  bare: HEADER,
  empty: '',
};
beforeAll(() => {
  cwd = freshDirectory('csv');
  for (const name of FILES) writeFileSync(join(cwd, name), texts[name], 'latin1');
});

/** A key of the reference: `of` extracts the value to compare, a text of bytes or a number. */
interface Key {
  readonly of: (record: CsvRecord) => string | number;
  readonly reverse?: boolean;
}
interface Order {
  readonly keys: readonly Key[];
  readonly reverse?: boolean;
  readonly stable?: boolean;
  readonly unique?: boolean;
}

const field =
  (i: number) =>
  ({ fields }: CsvRecord): string =>
    fields[i] ?? '';
const price = ({ fields }: CsvRecord): number => Number(fields[1] ?? '');
const compare = (a: string | number, b: string | number): number => Number(a > b) - Number(a < b);

/** The expected output: the header, then the sorted rows of all texts, each with a newline. */
function sorted(
  inputs: readonly string[],
  { keys, reverse = false, stable = false, unique = false }: Order,
  separator = ',',
  header = 1,
): Buffer {
  const records = inputs.flatMap((text) => parseCsv(text, separator).slice(header));
  const byKeys = (a: CsvRecord, b: CsvRecord): number =>
    keys.reduce((sign, key) => sign || ((key.reverse ?? reverse) ? -1 : 1) * compare(key.of(a), key.of(b)), 0);
  records.sort((a, b) => byKeys(a, b) || (stable || unique ? 0 : (reverse ? -1 : 1) * compare(a.raw, b.raw)));
  const kept = unique ? records.filter((record, i) => i === 0 || byKeys(records[i - 1], record) !== 0) : records;
  const first = parseCsv(inputs.find((text) => text !== '') ?? '', separator).slice(0, header);
  return Buffer.from([...first, ...kept].map(({ raw }) => `${raw}\n`).join(''), 'latin1');
}

const WAYS = [
  [],
  ['--chunk-size', '8K'],
  ['--chunk-size', '4K', '-S', '32K'],
  ['--chunk-size', '100K', '--parallel', '2'],
] as const;
const raw: Key = { of: ({ raw: text }) => text };
const ORDERS: readonly (readonly [string[], Order])[] = [
  [['-k', 'the price:n'], { keys: [{ of: price }] }],
  [['-k2,2nr', '-k', 'code'], { keys: [{ of: price, reverse: true }, { of: field(3) }] }],
  [
    ['-k', 'note, if\nany:f', '-u'],
    { keys: [{ of: (record) => field(2)(record).replace(/[a-z]/g, (letter) => letter.toUpperCase()) }], unique: true },
  ],
  [
    ['-k4,4', '-k', 'id:n', '-s'],
    { keys: [{ of: field(3) }, { of: (record) => Number(field(0)(record)) }], stable: true },
  ],
  [
    ['-k', 'code:r', '-k', 'the price:g', '-r'],
    {
      keys: [
        { of: field(3), reverse: true },
        { of: price, reverse: false },
      ],
      reverse: true,
    },
  ],
  [['-r'], { keys: [raw], reverse: true }],
  [['-u', '-n', '-k', 'the price'], { keys: [{ of: price }], unique: true }],
  [
    ['-k3,4', '-r', '-s'],
    { keys: [{ of: (record) => record.fields.slice(2, 4).join(',') }], reverse: true, stable: true },
  ],
];
/** By day, a software GPU runs one order: it takes seconds to start. */
const today = (engine: string, i: number): boolean => engine === 'cpu' || NIGHTLY || i === 2;

async function same(args: readonly string[], expected: Buffer, stdin?: string): Promise<void> {
  const { status, stderr, stdout } = await gpusort(args, {
    cwd,
    ...(stdin !== undefined && { stdin: Buffer.from(stdin, 'latin1') }),
  });
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
  expectSameBytes(stdout, expected);
}

describe.each(hasGpu() ? ['cpu', 'gpu'] : ['cpu'])('with --engine %s', (engine) => {
  const runs = ORDERS.map(([options, order], i) => [options.join(' '), options, order, i] as const).filter(
    ([, , , i]) => today(engine, i),
  );
  it.each(runs)('sorts by %s', async (_, options, order, i) => {
    const args = ['--engine', engine, '-T', cwd, '--csv', ...options];
    await same([...args, ...WAYS[i % WAYS.length], 'a', 'bare', 'b'], sorted([texts.a, texts.b], order));
    if (engine === 'gpu') return;
    await same(
      [...args, ...WAYS[(i + 1) % WAYS.length], 'empty', '-', 'b'],
      sorted([texts.a, texts.b], order),
      texts.a,
    );
  });
});

it('splits fields at tabs, or at the byte of -t', async () => {
  const tabs = texts.a.replaceAll(',', '\t');
  await same(
    ['--tsv', '-k2,2n', '-k3,3'],
    sorted([tabs], { keys: [{ of: ({ fields }) => Number.parseFloat(fields[1] ?? '') || 0 }, { of: field(2) }] }, '\t'),
    tabs,
  );
  const text = 'a;b\n"1;2";"x\ny"\n1;"2"\n,;1\n';
  await same(['--csv', '-t;', '-k', 'b:n'], Buffer.from('a;b\n"1;2";"x\ny"\n,;1\n1;"2"\n'), text);
});

it('sorts without a header, and with one of several records', async () => {
  const order: Order = { keys: [{ of: price }] };
  await same(
    ['--csv', '--header', '0', '-k2,2n'],
    sorted([texts.a.slice(HEADER.length + 1)], order, ',', 0),
    texts.a.slice(HEADER.length + 1),
  );
  await same(['--csv', '--header=2', '-k', 'the price:n', 'a'], sorted([texts.a], order, ',', 2));
});

it('keeps carriage returns before newlines', async () => {
  const text = 'id,v\r\n1,"b"\r\n2,"a\r\nc"\r\n3,a\r\n';
  await same(['--csv', '-k', 'v'], Buffer.from('id,v\r\n3,a\r\n2,"a\r\nc"\r\n1,"b"\r\n'), text);
});

it('writes only the first or last records for --top and --bottom', async () => {
  const all = sorted([texts.a], { keys: [{ of: price }] });
  const records = parseCsv(all.toString('latin1')).map(({ raw: text }) => `${text}\n`);
  await same(['--csv', '-k', 'the price:n', '--top', '5', 'a'], Buffer.from(records.slice(0, 6).join(''), 'latin1'));
  await same(
    ['--csv', '-k', 'the price:n', '--bottom', '5', 'a'],
    Buffer.from([records[0], ...records.slice(-5)].join(''), 'latin1'),
  );
});

it('reads headers under --explain to check field names', async () => {
  expect(await gpusort(['--csv', '--explain', '-k', 'the price:n', 'a'], { cwd })).toMatchObject({
    status: 0,
    stderr: '',
  });
  expect(await gpusort(['--csv', '--explain', '-k', 'price:n', 'a'], { cwd })).toMatchObject({ status: 2 });
});

it('keeps a byte order mark in front of the header', () =>
  same(
    ['--csv', '-k', 'id,x:n'],
    Buffer.from('\xef\xbb\xbf"id,x",v\n2,a\n10,b\n', 'latin1'),
    '\xef\xbb\xbf"id,x",v\n10,b\n2,a\n',
  ));

it('accepts inputs without rows, without records and without bytes', async () => {
  // Field names come from the first input that is not empty.
  await same(['--csv', '-k', 'the price:n', 'empty', '-'], sorted([texts.b], { keys: [{ of: price }] }), texts.b);
  await same(['--csv', '-k', 'the price:n', 'empty', 'bare', 'empty'], Buffer.from(`${HEADER}\n`, 'latin1'));
  await same(['--csv', '-k', 'whatever', 'empty'], Buffer.alloc(0));
  await same(['--csv', '-k', 'whatever', '-m', 'empty', '-'], Buffer.alloc(0), '');
});

describe('-m and -c', () => {
  const order: Order = { keys: [{ of: price }] };
  const options = ['--csv', '-k', 'the price:n'];
  beforeAll(() => {
    for (const name of ['a', 'b', 'bare'] as const)
      writeFileSync(join(cwd, `${name}.sorted`), sorted([texts[name]], order));
  });

  it('merges files and pipes', async () => {
    await same([...options, '-m', 'a.sorted', 'bare', 'b.sorted', 'empty'], sorted([texts.a, texts.b], order));
    const { stdout } = await script(
      "gpusort -m --csv -k 'the price:n' --batch-size 2 empty <(cat b.sorted) a.sorted bare.sorted - -o out < b.sorted && cat out",
      { cwd },
    );
    expectSameBytes(stdout, sorted([texts.b, texts.a, texts.b], order));
  });

  it('reports the first record out of order', async () => {
    expect(await gpusort([...options, '-c', 'a.sorted'], { cwd })).toMatchObject({ status: 0, stderr: '' });
    expect(await gpusort([...options, '-c', 'bare'], { cwd })).toMatchObject({ status: 0, stderr: '' });
    const swapped = 'id,p\n1,"1"\n"2\n\n",3\n"a\n""b""",2\n';
    expect(await gpusort(['--csv', '-c', '-k', 'p:n'], { stdin: Buffer.from(swapped) })).toMatchObject({
      status: 1,
      stderr: 'gpusort: -:4: disorder: "a\n""b""",2\n',
    });
    expect(
      await gpusort(['--csv', '-c', '-u', '--header=0', '-k2,2n'], { stdin: Buffer.from('"a\n1",1\nb,"1"\n') }),
    ).toMatchObject({ status: 1, stderr: 'gpusort: -:2: disorder: b,"1"\n' });
  });
});

it('replaces an input with -o, and leaves it unchanged on an error', async () => {
  const broken = 'n,m\n2,"x\n1,y\n';
  writeFileSync(join(cwd, 'broken'), broken);
  writeFileSync(join(cwd, 'mine'), 'n\n2\n1\n');
  expect(await gpusort(['--csv', '-k', 'n:n', 'mine', '-o', 'mine'], { cwd })).toMatchObject({ status: 0, stderr: '' });
  expect(await gpusort(['--csv', '-k', 'n:n', 'broken', '-o', 'broken'], { cwd })).toMatchObject({ status: 2 });
  expect([readFileSync(join(cwd, 'mine'), 'utf8'), readFileSync(join(cwd, 'broken'), 'utf8')]).toEqual([
    'n\n1\n2\n',
    broken,
  ]);
});

describe('invalid CSV and differing headers', () => {
  const LONG = `a\n${'x,y\n'.repeat(700_000)}`;
  beforeAll(() => {
    writeFileSync(join(cwd, 'nul'), `${LONG}\0`);
    writeFileSync(join(cwd, 'open'), `${LONG}"\n`);
    writeFileSync(join(cwd, 'open-header'), 'a,"b\n1,2\n');
    writeFileSync(join(cwd, 'other'), 'id\n1\n');
  });
  const nul = `byte ${LONG.length + 1} is NUL, which CSV cannot contain`;
  const open = `the quote at byte ${LONG.length + 1} is not closed`;
  it.each([
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
  ])('fails with a message: %s', async (ours, message) => {
    const { stdout, stderr, status } = await script(ours, { cwd });
    expect({ status, message: stderr.split('\n')[0] }).toEqual({ status: 2, message: `gpusort: ${message}` });
    // A merge writes while it still reads.
    if (!ours.includes('-m')) expect(stdout.length).toBe(0);
  });
});

it('reads a file on standard input from its current position, block by block', async () => {
  const { stdout } = await script('{ head -c 0; read -r; read -r; gpusort --csv --header 0 -k2,2n; } < many', {
    cwd: await many(),
  });
  const expected = await run('sort', ['-t,', '-k2,2n'], { stdin: Buffer.from(rows) });
  expectSameBytes(stdout, expected.stdout);
});
const rows = Array.from({ length: 150_000 }, (_, i) => `row number ${i},${below(1e6)}\n`).join('');
async function many(): Promise<string> {
  writeFileSync(join(cwd, 'many'), `one\ntwo\n${rows}`);
  return cwd;
}
