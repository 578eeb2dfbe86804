/** zstd frames: where they end, and the checksum in those that are written. */
import { describe, expect, it } from 'vitest';
import { FrameFinder, zstd } from '../../src/codecs/zstd.js';
import { randomBytes } from '../support/codecs.js';

/** Frames made by hand from the parts that RFC 8878 names. Sizes of blocks are in the header's upper 21 bits. */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const block = (kind: number, size: number, isLast: boolean, bytes: number): number[] => {
  const header = (size << 3) | (kind << 1) | Number(isLast);
  return [header & 0xff, (header >> 8) & 0xff, header >> 16, ...Array<number>(bytes).fill(7)];
};
const RAW = block(0, 5, false, 5);
const RUN = block(1, 100_000, false, 1);
const LAST = block(0, 2, true, 2);

it.each<[string, number[]]>([
  ['a window and no checksum', [...MAGIC, 0, 0x50, ...RAW, ...LAST]],
  ['a checksum', [...MAGIC, 0b100, 0x50, ...RAW, ...LAST, 1, 2, 3, 4]],
  ['a run of one byte', [...MAGIC, 0, 0x50, ...RUN, ...LAST]],
  ['a single segment of up to 255 bytes', [...MAGIC, 0b100000, 7, ...RAW, ...LAST]],
  ['a content size of 8 bytes and a dictionary', [...MAGIC, 0b11000011, 0x50, 1, 2, 3, 4, ...MAGIC, ...MAGIC, ...LAST]],
  ['only bytes to be skipped', [0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]],
])('finds the end of a zstd frame with %s, in pieces of any size', (_, frame) => {
  const bytes = Uint8Array.from([...frame, ...MAGIC]);
  expect(new FrameFinder().next(bytes)).toBe(frame.length);
  const finder = new FrameFinder();
  for (let at = 0; at < frame.length - 1; at++) expect(finder.next(bytes.subarray(at, at + 1))).toBe(-1);
  expect(finder.next(bytes.subarray(frame.length - 1))).toBe(1);
});

it('recognizes bytes that are not a zstd frame', () => {
  expect(new FrameFinder().next(Uint8Array.from([0x28, 0xb5, 0x2f, 0xfe]))).toBe(null);
  expect(new FrameFinder().next(Uint8Array.from([...MAGIC, 0, 0x50, ...block(3, 1, true, 1)]))).toBe(null);
});

describe.skipIf(zstd() === null)('written frames', () => {
  const text = Buffer.concat([randomBytes(9, 300_000, 4), Buffer.alloc(300_000)]);

  it('finds the end of a zstd frame that it wrote', () => {
    const frame = zstd()!.compress(text, 3);
    expect(new FrameFinder().next(Buffer.concat([frame, frame]))).toBe(frame.length);
  });

  it('writes zstd frames with a checksum at every level', () => {
    for (const level of [1, 3, 19]) expect(zstd()!.compress(text, level)[4] & 4).toBe(4);
  });
});
