/** Counts of equal neighbors, however the stream is cut into blocks, against a plain count. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyPart, Ordering } from '../../src/job/ordering.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { type CountPlace, countEqual, withCountField } from '../../src/output/count.js';
import { pour, pouring } from '../support/cuts.js';
import { collector } from '../support/jobs.js';
import { property } from '../support/property.js';
import { join, LINES } from '../support/records.js';

const ordered: Ordering = { ...LINES, lastResort: false };
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
const byNumber = (format: Ordering['format']): Ordering => ({
  ...ordered,
  format,
  key: { kind: 'normalized', parts: [PART], seed: null },
});
const inGerman = (format: Ordering['format']): Ordering => ({
  ...ordered,
  format,
  key: {
    kind: 'collated',
    locale: 'de',
    parts: [{ ...PART, span: { ...PART.span, end: null }, order: 'bytes', fold: true }],
    seed: null,
  },
});

/** Neighbors with the same name: the first line and their number. */
function groupsOf(lines: readonly Buffer[], nameOf: (line: string) => string): { line: string; count: number }[] {
  const groups: { name: string; line: string; count: number }[] = [];
  for (const line of lines) {
    const text = line.toString('latin1');
    if (groups.at(-1)?.name === nameOf(text)) groups.at(-1)!.count++;
    else groups.push({ name: nameOf(text), line: text, count: 1 });
  }
  return groups;
}

/** The output of uniq -c. */
const counted = (lines: readonly Buffer[], nameOf: (line: string) => string, end: string): string =>
  groupsOf(lines, nameOf)
    .map(({ line, count }) => `${String(count).padStart(7)} ${line}${end}`)
    .join('');

async function through(
  ordering: Ordering,
  text: Buffer,
  poured: Parameters<typeof pour>[2],
  place?: CountPlace,
): Promise<string> {
  const out = collector();
  const write = async (block: Uint8Array): Promise<void> => {
    await new Promise(setImmediate);
    await out.write(block);
  };
  const filter = countEqual(ordering, write, place);
  await pour(filter, text, poured);
  return out.bytes().toString('latin1');
}

/** The lines with their keys. */
function keyed(ordering: Ordering, lines: readonly Buffer[]): Buffer {
  if (lines.length === 0) return Buffer.alloc(0);
  return Buffer.concat(new KeyMaker(ordering).keyed(join(lines, ordering)).map((piece) => Buffer.from(piece)));
}

const LARGE = { sizes: [4 << 20], waits: true };
const length = fc.oneof({ weight: 19, arbitrary: fc.nat(5) }, fc.nat(199));
const sortedNumbers = <T>(more: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(fc.nat(4), more), { maxLength: 60, size: 'max' }).map((rows) => rows.sort(([a], [b]) => a - b));

describe.each([
  ['newline', 10],
  ['NUL', 0],
])('lines that end with %s', (_, delimiter) => {
  const format = { kind: 'lines', delimiter } as const;
  const end = String.fromCharCode(delimiter);

  property(
    'counts lines like uniq -c',
    [fc.array(fc.tuple(fc.constantFrom('a', 'b', '\xff'), length), { maxLength: 60, size: 'max' }), pouring(300)],
    async (drawn, poured) => {
      const lines = drawn.map(([letter, count]) => Buffer.alloc(count, letter, 'latin1')).sort((a, b) => a.compare(b));
      const ordering = { ...ordered, format };
      const found = await through(ordering, join(lines, ordering), poured);
      expect(found).toBe(counted(lines, (line) => line, end));
    },
    { runs: 300 },
  );

  property(
    'counts lines by key and writes them without it',
    [sortedNumbers(fc.tuple(fc.nat(2), length)), pouring(500)],
    async (drawn, poured) => {
      const lines = drawn.map(([number, [zeros, count]]) =>
        Buffer.from(`${'0'.repeat(zeros)}${number === 0 ? '' : number} ${'x'.repeat(count)}`),
      );
      const ordering = byNumber(format);
      const found = await through(ordering, keyed(ordering, lines), poured);
      expect(found).toBe(counted(lines, (line) => String(Number(/^\d*/.exec(line)![0])), end));
    },
    { runs: 300 },
  );

  property(
    'counts lines that are equal in a language, even if their bytes differ',
    [sortedNumbers(fc.tuple(fc.nat(2), length)), pouring(300)],
    async (drawn, poured) => {
      const forms = [['a', 'A'], ['\u00e4', 'a\u0308', '\u00c4'], ['b'], ['c'], ['\u00df', 'SS']];
      const collator = new Intl.Collator('de');
      const lines = drawn
        .map(([i, [form, count]]) => Buffer.from(i === 2 ? 'b'.repeat(count) : (forms[i][form] ?? 'c')))
        .sort((a, b) => collator.compare(a.toString().toLocaleUpperCase('de'), b.toString().toLocaleUpperCase('de')));
      const ordering = inGerman(format);
      const nameOf = (line: string): string =>
        Buffer.from(line, 'latin1').toString().toLocaleUpperCase('de').normalize('NFC');
      const found = await through(ordering, join(lines, ordering), poured);
      expect(found).toBe(counted(lines, nameOf, end));
    },
    { runs: 100 },
  );
});

const LABEL: CountPlace = { kind: 'label' };

property(
  'adds counts to the first lines of reads',
  [sortedNumbers(fc.tuple(fc.nat(39), fc.boolean())), fc.constantFrom('\n', '\r\n'), pouring(500)],
  async (drawn, end, poured) => {
    const ordering = byNumber({ kind: 'lines', delimiter: 0 });
    const records = drawn.map(([number, [count, isRead]]) =>
      Buffer.from(`${number} ${'x'.repeat(count)}${isRead ? `${end}AC${end}+${end}II` : ''}`),
    );
    const expected = groupsOf(records, (record) => record[0]).map(
      ({ line, count }) => `${line.replace(/(?=\r?\n|$)/, ` count=${count}`)}\0`,
    );
    expect(await through(ordering, keyed(ordering, records), poured, LABEL)).toBe(expected.join(''));
  },
  { runs: 300 },
);

property(
  'writes counts as the first field of CSV, in any order',
  [sortedNumbers(fc.tuple(fc.nat(4), length)), fc.constantFrom(',', '\t', '1'), fc.constantFrom(0, 1, 2), pouring(500)],
  async (drawn, byte, kind, poured) => {
    const format = { kind: 'lines', delimiter: 0 } as const;
    const records = drawn.map(([number, [text, count]]) =>
      Buffer.from(`${number} ${'x\n'.repeat(kind === 1 ? count : text)}`),
    );
    const nameOf = (line: string): string => (kind === 1 ? line.split(' ')[0] : line);
    const sorted = kind === 1 ? records : records.sort((a, b) => a.compare(b));
    const ordering = [{ ...ordered, format }, byNumber(format), inGerman(format)][kind];
    const expected = groupsOf(sorted, nameOf).map(
      ({ line, count }) => `${byte === '1' ? `"${count}"` : count}${byte}${line}\0`,
    );
    const text = kind === 1 ? keyed(ordering, sorted) : join(sorted, ordering);
    const place = { kind: 'field', separator: byte.charCodeAt(0) } as const;
    expect(await through(ordering, text, poured, place)).toBe(expected.join(''));
  },
  { runs: 300 },
);

it.each([
  ['', ',', ''],
  ['id,x\0', ',', 'count,id,x\0'],
  ['\xef\xbb\xbf"id",x\r\0', ',', '\xef\xbb\xbfcount,"id",x\r\0'],
  ['a\nb\0\0c\0', ';', 'count;a\nb\0;\0;c\0'],
  ['ocx\0', 'c', '"count"cocx\0'],
])('names the field of counts in the header %j', (header, separator, expected) => {
  const found = withCountField(Buffer.from(header, 'latin1'), separator.charCodeAt(0));
  expect(Buffer.from(found).toString('latin1')).toBe(expected);
});

it('writes counts of several digits into reads', async () => {
  const text = Buffer.concat([Buffer.alloc(4 * 12_345, 'a\nb\0'), Buffer.from('b\n\0'), Buffer.alloc(2 * 10, 'c\0')]);
  const ordering: Ordering = { ...ordered, format: { kind: 'lines', delimiter: 0 } };
  expect(await through(ordering, text, LARGE, LABEL)).toBe('a count=12345\nb\0b count=1\n\0c count=10\0');
});

it('writes counts wider than seven digits and lines longer than a block', async () => {
  const huge = [
    Buffer.alloc(3 << 20, 'c'),
    Buffer.alloc(3 << 20, 'c'),
    Buffer.alloc((1 << 20) - 21, 'd'),
    Buffer.alloc(1 << 20, 'e'),
    Buffer.from('f'),
  ];
  const text = Buffer.concat([Buffer.alloc(2 * 10_000_003, 'a\n'), Buffer.from('b\nb\n'), join(huge)]);
  const expected = `10000003 a\n      2 b\n${counted(huge, (line) => line, '\n')}`;
  expect((await through(ordered, text, LARGE)) === expected).toBe(true);
});

it('fails to count with the error of the output, at the latest when it finishes', async () => {
  const filter = countEqual(ordered, () => Promise.reject(new Error('disk full')));
  await filter.write(Buffer.from('a\nb\n'));
  await expect(filter.finish()).rejects.toThrow('disk full');
  const early = countEqual(ordered, () => Promise.reject(new Error('disk full')));
  const lines = Buffer.from(Array.from({ length: 300_000 }, (_, i) => `${i + 1_000_000}\n`).join(''));
  const writeAll = async (): Promise<void> => {
    for (let i = 0; i < 9; i++) await early.write(lines);
  };
  await expect(writeAll()).rejects.toThrow('disk full');
});
