/** BAM records as lines of the engines, against a plain parser: cut anywhere, huge, damaged. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BamFramer, bamRestorer, mostLineBytes } from '../../src/records/bam.js';
import { framePart } from '../../src/records/bam-parts.js';
import { bamHeaderBytes, readBamHeader } from '../../src/records/headers.js';
import { GpusortError } from '../../src/system/errors.js';
import { encodeCobs, splitLines } from '../keys/cobs-reference.js';
import { type PartSizes, partSizes, partsOf } from '../support/cuts.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { bamRecord, drawBytes, drawRecord, parseRecords } from './bam-reference.js';

const references = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: Buffer.from(`contig ${i}`), length: i }));
const HEADER = { references: references(3), bytes: 100 };

/** Frames bytes in parts, which may be changed. Throws the framer's errors. */
function frame(bytes: Uint8Array, sizes: PartSizes, header = HEADER): Buffer {
  const framer = new BamFramer('x.bam', header);
  const lines = [...partsOf(bytes, sizes)].map((part) => Buffer.from(framer.next(Buffer.from(part))));
  return Buffer.concat([...lines, Buffer.from(framer.end())]);
}

/** Sizes of parts of up to `most` bytes. */
const cuts = (below: RandomBelow, most: number): PartSizes => Array.from({ length: 99 }, () => 1 + below(most));

property(
  'frames each BAM record as a line, wherever the input is cut in two',
  [fc.nat()],
  (seed) => {
    const below = randomBelow(seed);
    const records = Array.from({ length: 4 }, () => drawRecord(below, 3, 100));
    const bytes = Buffer.concat(records);
    const expected = Buffer.concat(records.map(encodeCobs));
    for (let at = 1; at <= bytes.length; at++) expect(frame(bytes, [at, 1, bytes.length]).equals(expected)).toBe(true);
    expect(frame(bytes, [1]).equals(expected)).toBe(true);
  },
  { runs: 6 },
);

it.each([100, 5000, 300_000, 1 << 30])(
  "restores BAM records from lines, in parts of up to %i bytes and in the kernels' own parts",
  (most) => {
    const below = randomBelow(12);
    const records = Array.from({ length: 2000 }, () => drawRecord(below, 3));
    records.push(...Array.from({ length: 9000 }, () => bamRecord({ name: Buffer.from([0]) })));
    const bytes = Buffer.concat(records);
    const lines = frame(bytes, cuts(below, most));
    expect(splitLines(lines).length).toBe(records.length);
    const restorer = bamRestorer();
    const parts = [...partsOf(lines, cuts(below, most))];
    const before = Buffer.from(lines);
    const back = Buffer.concat([
      ...parts.map((part) => restorer.next(part, Buffer.alloc(part.length))),
      restorer.end(),
    ]);
    expect([back.equals(bytes), lines.equals(before)]).toEqual([true, true]);
  },
);

/** Frames bytes in parts, each of which a thread has framed first, as far as it could. `framed`: how many it could. */
function frameAfterThreads(bytes: Uint8Array, sizes: PartSizes): { lines: Buffer; framed: number } {
  const framer = new BamFramer('x.bam', HEADER);
  const lines: Buffer[] = [];
  let framed = 0;
  for (const part of partsOf(bytes, sizes)) {
    const target = new Uint8Array(new SharedArrayBuffer(mostLineBytes(part.length)));
    const found = framePart(part, HEADER.references.length, target);
    if (found !== null) framed++;
    const texts = found === null ? [framer.next(part)] : framer.pieces(target.subarray(0, found.bytes), found);
    for (const text of texts) lines.push(Buffer.from(text));
  }
  lines.push(Buffer.from(framer.end()));
  return { lines: Buffer.concat(lines), framed };
}

it.each([700, 5000, 300_000])('frames BAM in threads that get up to %i bytes of it, wherever these begin', (most) => {
  const below = randomBelow(15);
  const records = Array.from({ length: 1000 }, () => drawRecord(below, 3));
  const bytes = Buffer.concat(records);
  const { lines, framed } = frameAfterThreads(bytes, cuts(below, most));
  expect(lines.equals(Buffer.concat(records.map(encodeCobs)))).toBe(true);
  expect(framed).toBeGreaterThan(0);
});

it('does not believe a thread that found BAM records inside another one', () => {
  const below = randomBelow(16);
  const inner = Array.from({ length: 5 }, () => drawRecord(below, 3));
  const outer = bamRecord({ body: Buffer.concat([Buffer.alloc(50, 1), ...inner]) });
  const records = [drawRecord(below, 3), outer, drawRecord(below, 3)];
  const bytes = Buffer.concat(records);
  // The second part begins before the records in the first one's body, and ends with it.
  const begin = records[0].length + 60;
  const end = records[0].length + outer.length;
  const found = framePart(bytes.subarray(begin, end), 3, new Uint8Array(mostLineBytes(end - begin)));
  expect(found?.records).toBe(inner.length);
  const { lines } = frameAfterThreads(bytes, [begin, end - begin, bytes.length]);
  expect(lines.equals(Buffer.concat(records.map(encodeCobs)))).toBe(true);
});

it('keeps the framers of several BAM inputs independent', () => {
  const below = randomBelow(13);
  const inputs = [0, 1, 2].map(() => Buffer.concat(Array.from({ length: 50 }, () => drawRecord(below, 3))));
  const framers = inputs.map((_, i) => new BamFramer(`${i}`, HEADER));
  const lines: Buffer[][] = inputs.map(() => []);
  const at = inputs.map(() => 0);
  while (at.some((place, i) => place < inputs[i].length)) {
    const i = below(3);
    const end = at[i] + below(300);
    lines[i].push(Buffer.from(framers[i].next(inputs[i].subarray(at[i], end))));
    at[i] = end;
  }
  framers.forEach((framer) => framer.end());
  const expected = inputs.map((bytes) => Buffer.concat(parseRecords(bytes, 3).records.map(encodeCobs)));
  expect(lines.map((parts, i) => Buffer.concat(parts).equals(expected[i]))).toEqual([true, true, true]);
});

it('frames BAM records of more than a megabyte, with a long CIGAR in the tag CG', () => {
  const below = randomBelow(14);
  const operations = 270_000;
  const tag = Buffer.concat([Buffer.from('CGBI'), Buffer.alloc(4)]);
  tag.writeUInt32LE(operations, 4);
  const body = Buffer.concat([Buffer.alloc(8 + 150), tag, drawBytes(below, 4 * operations, 5000)]);
  const record = bamRecord({ reference: 2, cigar: 2, bases: 100, body });
  const bytes = Buffer.concat([drawRecord(below, 3), record, record, drawRecord(below, 3)]);
  const lines = frame(bytes, cuts(below, 200_000));
  expect(lines.equals(Buffer.concat(parseRecords(bytes, 3).records.map(encodeCobs)))).toBe(true);
  expect(Buffer.from(bamRestorer().next(lines, Buffer.alloc(lines.length))).equals(bytes)).toBe(true);
});

it('frames an empty BAM file as no lines, and restores nothing from them', () => {
  expect(frame(Buffer.alloc(0), [1])).toEqual(Buffer.alloc(0));
  expect(Buffer.from(bamRestorer().next(Buffer.alloc(0), Buffer.alloc(0)))).toEqual(Buffer.alloc(0));
});

const GOOD = bamRecord({ reference: 1, bases: 4, body: Buffer.alloc(6) });
const changed = (change: (record: Buffer) => unknown): Buffer => {
  const record = Buffer.from(GOOD);
  change(record);
  return record;
};

it.each([
  ['a length of 31', changed((r) => r.writeUInt32LE(31, 0)), 'has a length of 31, but'],
  ['a negative length', changed((r) => r.writeInt32LE(-5, 0)), 'has a length of -5, but'],
  ['no name', changed((r) => (r[12] = 0)), 'has a read name of no bytes'],
  ['a name that is too long', changed((r) => (r[12] = 3)), 'has 40 bytes, but its fields need 41'],
  ['a CIGAR that is too long', changed((r) => r.writeUInt16LE(65535, 16)), 'its fields need 262180'],
  ['too many bases', changed((r) => r.writeUInt32LE(2 ** 32 - 1, 20)), 'its fields need 6442450977'],
  ['an odd base too many', bamRecord({ bases: 3, body: Buffer.alloc(4) }), 'has 38 bytes, but its fields need 39'],
  ['2^32 bytes too few', changed((r) => r.writeUInt32LE(2863311530, 20)), 'its fields need 4294967329'],
  ['an unknown reference', changed((r) => r.writeInt32LE(3, 4)), 'refers to reference 3, but the header lists 3'],
  ['an unknown mate', changed((r) => r.writeInt32LE(-2, 24)), 'refers to reference -2, but the header lists 3'],
  ['an end in the fixed fields', GOOD.subarray(0, 35), 'is cut off'],
  ['an end after the fixed fields', GOOD.subarray(0, 36), 'is cut off'],
  ['an end before the last byte', GOOD.subarray(0, -1), 'is cut off'],
])('refuses a BAM record with %s', (_, record, what) => {
  const message = expect.stringMatching(
    `^x.bam: record 3, at byte ${101 + 2 * GOOD.length} of the uncompressed data, .*`,
  );
  for (const size of [1, 10, 1000]) {
    const bytes = Buffer.concat([GOOD, GOOD, record]);
    expect(() => frame(bytes, [size])).toThrow(expect.objectContaining({ code: 'bad-records', message }) as Error);
    expect(() => frame(bytes, [size])).toThrow(what);
    expect(() => frameAfterThreads(bytes, [size])).toThrow(what);
  }
});

it('rejects the largest wrong length of a BAM record', () => {
  const framer = new BamFramer('x', HEADER);
  framer.next(changed((r) => r.writeUInt32LE(2 ** 31 - 1, 0)));
  expect(framer.next(Buffer.alloc(1 << 20)).length).toBeGreaterThan(1 << 20);
  expect(() => framer.end()).toThrow('x: record 1, at byte 101 of the uncompressed data, is cut off');
});

property(
  'frames damaged BAM records or rejects them with their number and place',
  [fc.nat(), fc.integer({ min: 1, max: 6 }), fc.nat(2), partSizes(100)],
  (seed, count, faults, sizes) => {
    const below = randomBelow(seed);
    const bytes = Buffer.concat(Array.from({ length: count }, () => drawRecord(below, 3, 60)));
    for (let i = 0; i < faults; i++) bytes[below(bytes.length)] = [0, 1, 127, 255, below(256)][below(5)];
    const damaged = bytes.subarray(0, below(4) === 0 ? below(bytes.length + 1) : bytes.length);
    const { records, bad } = parseRecords(damaged, 3);
    if (bad === null) {
      expect(frame(damaged, sizes).equals(Buffer.concat(records.map(encodeCobs)))).toBe(true);
      return;
    }
    const place = `x.bam: record ${records.length + 1}, at byte ${101 + bad} `;
    const message = expect.stringMatching(`^${place}`) as string;
    expect(() => frame(damaged, sizes)).toThrow(expect.objectContaining({ code: 'bad-records', message }) as Error);
  },
  { runs: 2000 },
);

/** Reads a header from parts of `size` bytes. */
async function headerOf(bytes: Buffer, size: number) {
  let at = 0;
  return readBamHeader(async () => {
    const part = bytes.subarray(at, at + size);
    at += size;
    return part.length === 0 ? null : part;
  }, 'x.bam');
}

it.each([
  ['of an empty file', '', 0],
  ['with text alone', '@HD\tVN:1.6\n@SQ\tSN:a\tLN:5\n', 0],
  ['with references alone', '', 40],
  ['with both', '@CO\tany bytes \xff\n', 5],
])('reads and writes a BAM header %s', async (_, text, count) => {
  const bytes = bamHeaderBytes(Buffer.from(text, 'latin1'), references(count));
  for (const size of [1, 7, 1000, 1e6]) {
    const header = await headerOf(Buffer.concat([bytes, GOOD]), size);
    expect(header).toMatchObject({
      text: Buffer.from(text, 'latin1'),
      references: references(count),
      bytes: bytes.length,
    });
    expect(Buffer.from(header.rest).equals(GOOD.subarray(0, header.rest.length))).toBe(true);
    expect(bamHeaderBytes(header.text, header.references).equals(bytes)).toBe(true);
  }
});

it('drops NULs that pad the text of a BAM header', async () => {
  const bytes = bamHeaderBytes(Buffer.from('@CO\tx\n\0\0\0'), []);
  expect(await headerOf(bytes, 5)).toMatchObject({ text: Buffer.from('@CO\tx\n'), bytes: bytes.length });
});

const numbers = (...values: number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);
const MAGIC = Buffer.from('BAM\x01', 'latin1');

it.each([
  ['no bytes', [], 'the BAM header is cut off'],
  ['another format', [Buffer.from('BAI\x01')], 'not a BAM file'],
  ['a text length beyond the maximum', [MAGIC, numbers(2 ** 32 - 1)], 'says 4294967295 for the bytes of its text'],
  ['a text that ends early', [MAGIC, numbers(2 ** 30), Buffer.alloc(100)], 'the BAM header is cut off'],
  [
    'a reference count beyond the maximum',
    [MAGIC, numbers(0, 2 ** 31)],
    'says 2147483648 for the number of references',
  ],
  ['references that end early', [MAGIC, numbers(0, 2 ** 22, 2, 0)], 'the BAM header is cut off'],
  ['a reference without a name', [MAGIC, numbers(0, 1, 0, 0)], 'says 0 for the bytes of the name of reference 1'],
  ['a name length beyond the maximum', [MAGIC, numbers(0, 1, 2 ** 31)], 'the bytes of the name of reference 1'],
  ['a name without NUL', [MAGIC, numbers(0, 1, 4), Buffer.from('abcd'), numbers(7)], 'does not end in NUL'],
])('refuses a BAM header with %s', async (_, parts, what) => {
  for (const size of [1, 1000]) {
    await expect(headerOf(Buffer.concat(parts), size)).rejects.toMatchObject({
      code: 'bad-records',
      message: expect.stringMatching(`^x.bam: .*${what}`) as string,
    });
  }
});

property(
  'reads a damaged BAM header or rejects it with an error',
  [fc.nat(), fc.integer({ min: 1, max: 60 })],
  async (seed, size) => {
    const below = randomBelow(seed);
    const bytes = bamHeaderBytes(drawBytes(below, below(50), 9), references(below(8)));
    bytes[below(bytes.length)] = [0, 1, 127, 255, below(256)][below(5)];
    try {
      const header = await headerOf(bytes.subarray(0, below(bytes.length) + 1), size);
      expect(header.bytes).toBeLessThanOrEqual(bytes.length);
      expect(header.text.length + header.references.length).toBeLessThan(bytes.length);
    } catch (error) {
      expect(error).toBeInstanceOf(GpusortError);
    }
  },
  { runs: 1500 },
);
