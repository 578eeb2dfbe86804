/** Bytes copied between memories of both kinds, and checksums of data that comes in parts. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { copyBytes } from '../../src/system/memory.js';
import { crc32 } from '../../src/system/zlib.js';
import { type PartSizes, partSizes, partsOf } from '../support/cuts.js';
import { property } from '../support/property.js';

/** CRC-32 of gzip (RFC 1952), a bit at a time. */
function plainChecksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

property(
  'copies bytes to any place in unshared and shared memory',
  [fc.uint8Array({ maxLength: 40 }), fc.nat(20), fc.nat(20), fc.boolean()],
  (bytes, before, after, isShared) => {
    const length = 3 + before + bytes.length + after;
    const target = new Uint8Array(isShared ? new SharedArrayBuffer(length) : new ArrayBuffer(length), 3).fill(7);
    copyBytes(bytes, target, before);
    expect([...target]).toEqual([...Array(before).fill(7), ...bytes, ...Array(after).fill(7)]);
  },
  { runs: 200 },
);

it('rejects bytes that do not fit into the target, even if more memory follows', () => {
  const memory = new Uint8Array(10);
  const target = memory.subarray(0, 5);
  expect(() => copyBytes(Uint8Array.of(1, 2, 3), target, 3)).toThrow('does not fit');
  expect([...memory]).toEqual(Array(10).fill(0));
});

property(
  'computes the CRC-32 of data in parts',
  [fc.uint8Array({ maxLength: 200, size: 'max' }), partSizes(50)],
  (bytes: Uint8Array, sizes: PartSizes) => {
    let checksum = 0;
    for (const part of partsOf(bytes, sizes)) checksum = crc32(part, checksum);
    expect(checksum).toBe(plainChecksum(bytes));
  },
  { runs: 100 },
);
