/** The kernels that inflate accept and refuse what zlib does, give the same text, and find blocks. */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { combineCrc } from '../../src/codecs/crc-combine.js';
import { INFLATED } from '../../src/codecs/inflate.js';
import { randomBytes } from '../support/codecs.js';
import { seededStream } from '../support/deflate-streams.js';
import { inflater, isInflatedAsByZlib, shared } from '../support/kernel-inflated.js';
import { property } from '../support/property.js';

property(
  'inflates or refuses mutated data as zlib does',
  [fc.integer()],
  (seed) => isInflatedAsByZlib(seededStream(seed)),
  { runs: 15_000, timeoutMs: 3600_000 },
);

it('finds each dynamic block that is not the last', () => {
  const text = randomBytes(1, 300_000, 20);
  const data = deflateRawSync(text, { level: 6, memLevel: 4 });
  inflater.setInput([shared(data)]);
  inflater.putBytesAfter(new Uint8Array(0), text.length);
  const begins = [0];
  while (inflater.inflate(begins.at(-1)!, null, begins.at(-1)! + 1) === INFLATED.block) begins.push(inflater.nextBit);
  const typeAt = (bit: number): number => (data.readUInt16LE(bit >> 3) >> (bit & 7)) & 7;
  const dynamic = begins.filter((bit) => typeAt(bit) === 4);
  expect(dynamic.length).toBeGreaterThan(50);
  const found: number[] = [];
  const end = 8 * data.length;
  for (let bit = inflater.findBlock(0, end); bit !== null; bit = inflater.findBlock(bit + 1, end)) found.push(bit);
  expect(found).toEqual(dynamic);
});

it('stops at the end of the room, within literals too', () => {
  const text = randomBytes(2, 400, 100);
  const data = deflateRawSync(text, { strategy: constants.Z_HUFFMAN_ONLY });
  inflater.setInput([shared(data)]);
  for (let room = 0; room < text.length; room++)
    for (const symbols of [false, true]) {
      if (symbols) inflater.putSymbols(room);
      else inflater.putBytesAfter(new Uint8Array(0), room);
      expect(inflater.inflate(0, null, Infinity)).toBe(INFLATED.needsRoom);
      expect(inflater.count).toBe(room);
    }
});

property(
  'combines checksums',
  [fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 })],
  (first, second) =>
    expect(combineCrc(crc32(first), crc32(second), second.length)).toBe(crc32(Buffer.concat([first, second]))),
  { runs: 500 },
);

it('combines checksums of long texts', () => {
  const zeros = new Uint8Array(1 << 20);
  let sum = crc32('a');
  for (let i = 0; i < 100; i++) sum = crc32(zeros, sum);
  const half = combineCrc(0, crc32(zeros), zeros.length);
  let combined = crc32('a');
  for (let i = 0; i < 100; i++) combined = combineCrc(combined, half, zeros.length);
  expect(combined).toBe(sum);
});
