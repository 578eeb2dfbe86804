/** COBS as the kernels encode and decode it, against the reference: no byte but the last one is a newline. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BamFramer, bamRestorer } from '../../src/records/bam.js';
import { bamRecord, drawBytes } from '../records/bam-reference.js';
import { partSizes, partsOf } from '../support/cuts.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { decodeCobs, encodeCobs, splitLines } from './cobs-reference.js';

const HEADER = { references: [], bytes: 0 };
const encode = (records: Uint8Array): Buffer => Buffer.from(new BamFramer('x', HEADER).next(records));
const decode = (lines: Uint8Array): Buffer => Buffer.from(bamRestorer().next(lines, Buffer.alloc(lines.length)));

property(
  'has a reference that decodes what it encodes',
  [fc.nat(), fc.nat(799)],
  (seed, length) => {
    const below = randomBelow(seed);
    const bytes = drawBytes(below, length, 1 + below(400));
    const line = encodeCobs(bytes);
    expect([line.indexOf(10), decodeCobs(line).equals(bytes)]).toEqual([line.length - 1, true]);
    expect(line.length).toBeLessThanOrEqual(bytes.length + 2 + Math.floor(bytes.length / 254));
  },
  { runs: 300 },
);

/** The lengths between newlines. Without a newline, 4 + 32 + 2 bytes precede the body. */
const GAPS = [0, 1, 14, 15, 16, 17, 215, 216, 217, 218, 252, 253, 254, 255, 256, 470, 471, 508, 509].flatMap((gap) =>
  [[], [10], [10, 10], [10, 7], [7]].flatMap((others) =>
    [0, 1, 253, 254, 255, 508].map((last) => ({ gap, others, last })),
  ),
);

it('encodes records as the reference does, whatever the lengths between newlines', () => {
  for (const { gap, others, last } of GAPS) {
    const body = Buffer.concat([Buffer.alloc(gap, 0), Buffer.from(others), Buffer.alloc(last, 255)]);
    const record = bamRecord({ body });
    const line = encode(record);
    expect(line.equals(encodeCobs(record)), `${gap} ${others} ${last}`).toBe(true);
    expect(decode(line).equals(record), `${gap} ${others} ${last}`).toBe(true);
  }
});

property(
  'encodes and decodes many records at once',
  [fc.nat(), fc.nat(999)],
  (seed, count) => {
    const below = randomBelow(seed);
    const records = Array.from({ length: count }, () =>
      bamRecord({ body: drawBytes(below, below(900), [1, 2, 30, 300, 1e6][below(5)]) }),
    );
    const lines = encode(Buffer.concat(records));
    expect(lines.equals(Buffer.concat(records.map(encodeCobs)))).toBe(true);
    expect(splitLines(lines).length).toBe(records.length);
    expect(decode(lines).equals(Buffer.concat(records))).toBe(true);
  },
  { runs: 5 },
);

property(
  'decodes any bytes, in parts that are cut anywhere',
  [fc.nat(), fc.nat(60), partSizes(700)],
  (seed, count, sizes) => {
    const below = randomBelow(seed);
    const texts = Array.from({ length: count }, () => drawBytes(below, below(600), 1 + below(300)));
    texts.push(Buffer.alloc(0), Buffer.from([10]), Buffer.from([10, 10]));
    const restorer = bamRestorer();
    const parts = [...partsOf(Buffer.concat(texts.map(encodeCobs)), sizes)];
    const records = [...parts.map((part) => restorer.next(part, Buffer.alloc(part.length))), restorer.end()];
    expect(Buffer.concat(records).equals(Buffer.concat(texts))).toBe(true);
  },
  { runs: 150 },
);
