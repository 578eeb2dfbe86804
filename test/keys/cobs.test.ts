/** COBS as the kernels encode and decode it, against the reference: no byte but the last one is a newline. */
import { expect, it } from 'vitest';
import { bamFramer, bamRestorer } from '../../src/records/bam.js';
import { bamRecord, drawBytes } from '../records/bam-reference.js';
import { randomBelow } from '../support/random.js';
import { decodeCobs, encodeCobs, splitLines } from './cobs-reference.js';

const HEADER = { references: [], bytes: 0 };
const encode = (records: Uint8Array): Buffer => Buffer.from(bamFramer('x', HEADER).next(records));
const decode = (lines: Uint8Array): Buffer => Buffer.from(bamRestorer().next(lines, Buffer.alloc(lines.length)));

it('has a reference that decodes what it encodes', () => {
  const below = randomBelow(1);
  for (let i = 0; i < 500; i++) {
    const bytes = drawBytes(below, below(800), 1 + below(400));
    const line = encodeCobs(bytes);
    expect([line.indexOf(10), decodeCobs(line).equals(bytes)]).toEqual([line.length - 1, true]);
    expect(line.length).toBeLessThanOrEqual(bytes.length + 2 + Math.floor(bytes.length / 254));
  }
});

it('encodes records as the reference does, whatever the lengths between newlines', () => {
  // Without a newline, 4 + 32 + 2 bytes precede the body.
  for (const gap of [0, 1, 14, 15, 16, 17, 215, 216, 217, 218, 252, 253, 254, 255, 256, 470, 471, 508, 509]) {
    for (const others of [[], [10], [10, 10], [10, 7], [7]]) {
      for (const last of [0, 1, 253, 254, 255, 508]) {
        const body = Buffer.concat([Buffer.alloc(gap, 0), Buffer.from(others), Buffer.alloc(last, 255)]);
        const record = bamRecord({ body });
        const line = encode(record);
        expect(line.equals(encodeCobs(record)), `${gap} ${others} ${last}`).toBe(true);
        expect(decode(line).equals(record), `${gap} ${others} ${last}`).toBe(true);
      }
    }
  }
});

it('encodes and decodes many records at once', () => {
  const below = randomBelow(2);
  const records = Array.from({ length: 3000 }, () =>
    bamRecord({ body: drawBytes(below, below(900), [1, 2, 30, 300, 1e6][below(5)]) }),
  );
  const lines = encode(Buffer.concat(records));
  expect(lines.equals(Buffer.concat(records.map(encodeCobs)))).toBe(true);
  expect(splitLines(lines).length).toBe(records.length);
  expect(decode(lines).equals(Buffer.concat(records))).toBe(true);
});

it('decodes bytes that are no BAM records, also none at all', () => {
  const below = randomBelow(3);
  const texts = Array.from({ length: 2000 }, () => drawBytes(below, below(600), 1 + below(300)));
  texts.push(Buffer.alloc(0), Buffer.from([10]), Buffer.from([10, 10]));
  expect(decode(Buffer.concat(texts.map(encodeCobs))).equals(Buffer.concat(texts))).toBe(true);
});

it('decodes lines that are cut anywhere', () => {
  const below = randomBelow(4);
  const texts = Array.from({ length: 40 }, () => drawBytes(below, below(300), 1 + below(300)));
  const lines = Buffer.concat(texts.map(encodeCobs));
  for (let cut = 0; cut <= lines.length; cut++) {
    const restorer = bamRestorer();
    const parts = [lines.subarray(0, cut), lines.subarray(cut, cut + 1), lines.subarray(cut + 1)];
    const records = Buffer.concat([
      ...parts.map((part) => restorer.next(part, Buffer.alloc(part.length))),
      restorer.end(),
    ]);
    expect(records.equals(Buffer.concat(texts)), `${cut}`).toBe(true);
  }
});
