/**
 * Encoded records compare as bytes in the order of their typed keys, and decode to the original; kernels encode as the
 * host does. The kernels come from the build, so build first.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeRecordEncoding } from '../../src/engines/cpu/encode-text.js';
import { compileKernels, openKernels, placeTexts } from '../../src/engines/cpu/kernels.js';
import { shapeOf } from '../../src/engines/cpu/shape.js';
import type { NumberType, RecordPart } from '../../src/job/ordering.js';
import { planEncoding, RecordEncoder } from '../../src/keys/record-encoding.js';
import { byFixed } from '../engines/cpu/support.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { compareTyped, decodeRecords, encodeRecords } from '../support/typed-records.js';

const KINDS = ['unsigned', 'signed', 'float'] as const;

describe('typed keys as bytes', () => {
  property(
    'order random records like their numbers, and can be undone',
    [fc.nat()],
    (seed) => {
      const random = randomBelow(seed);
      const size = 1 + random(24);
      const parts: RecordPart[] = [];
      for (let i = 1 + random(random(4) === 0 ? 12 : 3); i > 0; i--) parts.push(randomPart(random, size));
      const reverse = random(2) === 1;
      const offset = random(size);
      const segment = random(4) === 0 ? { offset, length: 1 + random(size - offset) } : null;
      const places = planEncoding(size, parts, reverse, segment);
      const few = random(2) === 1;
      const records = Array.from({ length: 12 }, () =>
        Uint8Array.from({ length: size }, () => (few ? [0, 1, 127, 128, 255][random(5)] : random(256))),
      );
      // The comparison of keys is that of records of one segment.
      if (segment !== null)
        for (const record of records) record.set(records[0].subarray(offset, offset + segment.length), offset);
      const encoded = records.map((record) => {
        const copy = record.slice();
        if (places.encoding !== null) encodeRecords(places.encoding, copy);
        return copy;
      });
      encoded.forEach((bytes, i) => {
        const decoded = bytes.slice();
        if (places.encoding !== null) decodeRecords(places.encoding, decoded);
        expect(decoded).toEqual(records[i]);
        if (segment !== null)
          expect(bytes.subarray(places.segment!.offset, places.segment!.offset + segment.length)).toEqual(
            records[i].subarray(offset, offset + segment.length),
          );
      });
      for (let i = 1; i < records.length; i++) {
        const keys = [encoded[i - 1], encoded[i]].map((bytes) =>
          bytes.subarray(places.key.offset, places.key.offset + places.key.length),
        );
        const sign = Buffer.compare(keys[0], keys[1]) * (reverse ? -1 : 1) + 0;
        expect(sign).toBe(compareTyped(parts, records[i - 1], records[i]) + 0);
        if (sign === 0)
          expect(Buffer.compare(encoded[i - 1], encoded[i])).toBe(Buffer.compare(records[i - 1], records[i]));
      }
    },
    { runs: 1500 },
  );

  it('needs no encoding for bytes and unsigned big-endian numbers in a row', () => {
    const be = (offset: number, bytes: number): RecordPart => ({
      offset,
      length: bytes,
      type: { kind: 'unsigned', bytes, bigEndian: true },
      reverse: false,
    });
    expect(planEncoding(16, [be(4, 4), be(8, 8)], false, null)).toEqual({
      encoding: null,
      key: { offset: 4, length: 12 },
      segment: null,
    });
    expect(planEncoding(16, [be(8, 8), be(4, 4)], false, null).encoding).not.toBeNull();
    expect(planEncoding(16, [be(4, 4)], true, null).encoding).not.toBeNull();
  });
});

const GUARD = 0xab;

property(
  'the kernels encode and decode as the host does, and change nothing else',
  [fc.nat()],
  (seed) => {
    const below = randomBelow(seed);
    const module = compileKernels();
    const size = 1 + below(below(2) === 0 ? 16 : 40);
    const parts = Array.from({ length: 1 + below(3) }, () => randomPart(below, size));
    const { encoding } = planEncoding(size, parts, false, null);
    if (encoding === null) return;
    const records = Uint8Array.from({ length: size * below(40) }, () => [0, 0x80, 0xff, below(256)][below(4)]);
    const kernels = placeRecordEncoding(openKernels(module, shapeOf(byFixed(size, null, { encoding }))), encoding);
    const text = placeTexts(kernels, [records, new Uint8Array(32).fill(GUARD)]);
    const end = text.end - 32;
    const wanted = records.slice();
    encodeRecords(encoding, wanted);
    const bytes = (): Uint8Array => new Uint8Array(kernels.memory.buffer, text.begin, records.length + 32).slice();
    kernels.encodeRecords(text.begin, end);
    expect(Buffer.compare(bytes().subarray(0, records.length), wanted), JSON.stringify(encoding)).toBe(0);
    kernels.decodeRecords(text.begin, end);
    expect(Buffer.compare(bytes().subarray(0, records.length), records), JSON.stringify(encoding)).toBe(0);
    expect(bytes().subarray(records.length)).toEqual(new Uint8Array(32).fill(GUARD));
  },
  { runs: 600 },
);

it('encodes and decodes a record of more bytes than a Map holds', () => {
  const size = 20_000_001;
  const key = { length: 4, type: { kind: 'unsigned', bytes: 4, bigEndian: false }, reverse: false } as const;
  const { encoding } = planEncoding(
    size,
    [
      { offset: size - 4, ...key },
      { offset: 0, ...key },
    ],
    false,
    null,
  );
  const record = new Uint8Array(size).fill(7);
  record.set([1, 2, 3, 4]);
  record.set([5, 6, 8, 9], size - 4);
  const encoded = record.slice();
  new RecordEncoder(encoding!).encode(encoded);
  expect([...encoded.subarray(0, 9)]).toEqual([9, 8, 6, 5, 4, 3, 2, 1, 7]);
  new RecordEncoder(encoding!).decode(encoded);
  expect(Buffer.compare(encoded, record)).toBe(0);
});

function randomPart(random: RandomBelow, size: number): RecordPart {
  const bytes = [1, 2, 4, 8, 16].filter((width) => width <= size);
  const length = bytes[random(bytes.length)];
  const kind = KINDS[random(length === 4 || length === 8 ? 3 : length === 16 ? 1 : 2)];
  const type: NumberType = { kind, bytes: length, bigEndian: random(2) === 1 };
  const isNumber = random(3) > 0;
  const own = isNumber ? length : 1 + random(size);
  return { offset: random(size - own + 1), length: own, type: isNumber ? type : null, reverse: random(2) === 1 };
}
