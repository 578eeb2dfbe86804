/** Encoded records compare as bytes in the order of their typed keys, and decode to what they were. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NumberType, RecordPart } from '../../src/job.js';
import { planEncoding } from '../../src/keys/record-encoding.js';
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
      for (let i = 1 + random(3); i > 0; i--) parts.push(randomPart(random, size));
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

function randomPart(random: RandomBelow, size: number): RecordPart {
  const bytes = [1, 2, 4, 8, 16].filter((width) => width <= size);
  const length = bytes[random(bytes.length)];
  const kind = KINDS[random(length === 4 || length === 8 ? 3 : length === 16 ? 1 : 2)];
  const type: NumberType = { kind, bytes: length, bigEndian: random(2) === 1 };
  const isNumber = random(3) > 0;
  const own = isNumber ? length : 1 + random(size);
  return { offset: random(size - own + 1), length: own, type: isNumber ? type : null, reverse: random(2) === 1 };
}
