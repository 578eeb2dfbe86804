/** Records split by equal keys, however the stream is cut into blocks, against a plain splitter. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyPart, Ordering, RecordPart } from '../../src/job/ordering.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { keyBytesAsRead, planEncoding } from '../../src/keys/record-encoding.js';
import { splitEqual } from '../../src/output/duplicates.js';
import { pour, pouring } from '../support/cuts.js';
import { collector } from '../support/jobs.js';
import { property } from '../support/property.js';
import { join, LINES } from '../support/records.js';

const PART: KeyPart = {
  span: {
    begin: { field: 0, byte: 0, skipBlanks: false },
    end: { field: 0, byte: 0, skipBlanks: false },
    separator: null,
  },
  order: 'numeric',
  dictionary: false,
  printing: false,
  fold: false,
  reverse: false,
};
const stable: Ordering = { ...LINES, lastResort: false };

type Kept = 1 | 'last';
const KEPT: readonly Kept[] = [1, 'last'];

/** The first or the last records of each name, and the others. */
function splitByHand(
  records: readonly Buffer[],
  ordering: Ordering,
  nameOf: (text: string) => string,
  keeps: Kept,
): string[] {
  const results: Buffer[][] = [[], []];
  const names = records.map((record) => nameOf(record.toString('latin1')));
  for (const [i, record] of records.entries()) {
    const isKept = names[i] !== names[keeps === 'last' ? i + 1 : i - 1];
    results[isKept ? 0 : 1].push(record);
  }
  return results.map((list) => join(list, ordering).toString('latin1'));
}

async function split(
  ordering: Ordering,
  text: Buffer,
  poured: Parameters<typeof pour>[2],
  keeps: Kept,
): Promise<string[]> {
  const outs = [collector(), collector()];
  const slowly = outs.map(({ write }) => async (block: Uint8Array) => {
    await new Promise(setImmediate);
    await write(block);
  });
  await pour(splitEqual(ordering, slowly[0], slowly[1], keeps), text, poured);
  return outs.map((out) => out.bytes().toString('latin1'));
}

/** The lines with their keys. */
function keyed(ordering: Ordering, lines: readonly Buffer[]): Buffer {
  if (lines.length === 0) return Buffer.alloc(0);
  return Buffer.concat(new KeyMaker(ordering).keyed(join(lines, ordering)).map((piece) => Buffer.from(piece)));
}

const length = fc.oneof({ weight: 19, arbitrary: fc.nat(5) }, fc.nat(199));
const sortedNumbers = <T>(more: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(fc.nat(4), more), { maxLength: 60, size: 'max' }).map((rows) => rows.sort(([a], [b]) => a - b));

describe.each([
  ['newline', 10],
  ['NUL', 0],
])('lines that end with %s', (_, delimiter) => {
  const format = { kind: 'lines', delimiter } as const;

  property(
    'splits equal lines',
    [fc.array(fc.tuple(fc.constantFrom('a', 'b', '\xff'), length), { maxLength: 60, size: 'max' }), pouring(300)],
    async (drawn, poured) => {
      const lines = drawn.map(([letter, count]) => Buffer.alloc(count, letter, 'latin1')).sort((a, b) => a.compare(b));
      const ordering = { ...stable, format };
      for (const keeps of KEPT)
        expect(await split(ordering, join(lines, ordering), poured, keeps)).toEqual(
          splitByHand(lines, ordering, (line) => line, keeps),
        );
    },
    { runs: 200 },
  );

  property(
    'splits lines by key and writes them without it',
    [sortedNumbers(fc.tuple(fc.nat(2), length)), pouring(500)],
    async (drawn, poured) => {
      const lines = drawn.map(([number, [zeros, count]]) =>
        Buffer.from(`${'0'.repeat(zeros)}${number === 0 ? '' : number} ${'x'.repeat(count)}`),
      );
      const ordering: Ordering = { ...stable, format, key: { kind: 'normalized', parts: [PART], seed: null } };
      for (const keeps of KEPT)
        expect(await split(ordering, keyed(ordering, lines), poured, keeps)).toEqual(
          splitByHand(lines, ordering, (line) => String(Number(/^\d*/.exec(line)![0])), keeps),
        );
    },
    { runs: 200 },
  );

  property(
    'splits lines that are equal in a language, even if their bytes differ',
    [sortedNumbers(fc.nat(2)), pouring(300)],
    async (drawn, poured) => {
      const forms = [['a', 'A'], ['\u00e4', 'a\u0308', '\u00c4'], ['b'], ['c'], ['\u00df', 'SS']];
      const lines = drawn.map(([i, form]) => Buffer.from(forms[i][form] ?? forms[i][0]));
      const names = new Map(
        forms.flatMap((all, i) => all.map((text) => [Buffer.from(text).toString('latin1'), `${i}`])),
      );
      const part: KeyPart = { ...PART, span: { ...PART.span, end: null }, order: 'bytes', fold: true };
      const ordering: Ordering = {
        ...stable,
        format,
        key: { kind: 'collated', locale: 'de', parts: [part], seed: null },
      };
      for (const keeps of KEPT)
        expect(await split(ordering, join(lines, ordering), poured, keeps)).toEqual(
          splitByHand(lines, ordering, (line) => names.get(line)!, keeps),
        );
    },
    { runs: 100 },
  );
});

const U16: RecordPart['type'] = { kind: 'unsigned', bytes: 2, bigEndian: false };

property(
  'splits binary records by ranges of bytes, as they were read',
  [
    fc.integer({ min: 1, max: 40 }),
    fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 3 }),
    fc.array(fc.nat(7), { maxLength: 60, size: 'max' }),
    pouring(200),
  ],
  async (size, ranges, drawn, poured) => {
    const parts: RecordPart[] = ranges
      .map(([offset, bytes]) => ({ offset: offset % size, length: 1 + (bytes % (size - (offset % size))) }))
      .map((range) => ({ ...range, type: range.length === 2 ? U16 : null, reverse: range.offset % 2 === 0 }));
    const planned = parts.length === 0 ? null : planEncoding(size, parts, false, null);
    const ordering: Ordering = {
      ...stable,
      format: { kind: 'fixed', size },
      key: planned === null ? { kind: 'record' } : { kind: 'bytes', ...planned.key },
      ...(planned?.encoding && { encoding: planned.encoding }),
    };
    const keyOf = (text: string): string =>
      parts.length === 0 ? text : parts.map((part) => text.slice(part.offset, part.offset + part.length)).join('');
    const records = drawn
      .map((number) => Buffer.from(Array.from({ length: size }, (_, i) => (number >> (i % 3)) & 1)))
      .sort((a, b) =>
        Buffer.compare(Buffer.from(keyOf(a.toString('latin1'))), Buffer.from(keyOf(b.toString('latin1')))),
      );
    for (const keeps of KEPT)
      expect(await split(ordering, Buffer.concat(records), poured, keeps)).toEqual(
        splitByHand(records, ordering, keyOf, keeps),
      );
  },
  { runs: 300 },
);

it('finds the bytes of keys in records as they are read', () => {
  const parts = [
    { offset: 6, length: 2, type: U16, reverse: false },
    { offset: 1, length: 3, type: null, reverse: true },
    { offset: 7, length: 2, type: null, reverse: false },
  ];
  const { key, encoding } = planEncoding(10, parts, false, null);
  expect(keyBytesAsRead({ key: { kind: 'bytes', ...key }, encoding: encoding! }, 10)).toEqual([
    { offset: 1, length: 3 },
    { offset: 6, length: 3 },
  ]);
  expect(keyBytesAsRead({ key: { kind: 'bytes', offset: 2, length: 4 } }, 10)).toEqual([{ offset: 2, length: 4 }]);
  expect(keyBytesAsRead({ key: { kind: 'record' } }, 3)).toEqual([{ offset: 0, length: 3 }]);
});

it('splits lines longer than a batch and results longer than a write', async () => {
  const lines = [
    ...Array.from({ length: 3 }, () => Buffer.alloc(3 << 20, 'c')),
    ...Array.from({ length: 200_000 }, (_, i) => Buffer.from(`d${String(i >> 1).padStart(9, '0')}`)),
    Buffer.alloc(300 << 10, 'e'),
    Buffer.alloc(300 << 10, 'e'),
  ];
  for (const keeps of KEPT) {
    const [kept, others] = await split(stable, join(lines), { sizes: [4 << 20], waits: true }, keeps);
    const expected = splitByHand(lines, stable, (line) => line, keeps);
    expect([kept === expected[0], others === expected[1]]).toEqual([true, true]);
  }
});

it('fails to split with the error of either output, at the latest when it finishes', async () => {
  const works = async (): Promise<void> => undefined;
  const fails = (): Promise<void> => Promise.reject(new Error('disk full'));
  for (const [first, others] of [
    [works, fails],
    [fails, works],
  ]) {
    const filter = splitEqual(stable, first, others);
    await filter.write(Buffer.from('a\na\n'));
    await expect(filter.finish()).rejects.toThrow('disk full');
    const early = splitEqual(stable, first, others);
    const lines = Buffer.from('a line\n'.repeat(1 << 19));
    const writeAll = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) await early.write(lines);
      await early.write(Buffer.from(Array.from({ length: 400_000 }, (_, i) => `b${i}\n`).join('')));
      await early.write(lines);
    };
    await expect(writeAll()).rejects.toThrow('disk full');
  }
});
