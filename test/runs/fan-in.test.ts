/** Which texts are merged in advance, and how large windows are. */
import { expect, it } from 'vitest';
import { mergesInAdvance, mostTexts, windowBytes } from '../../src/runs/fan-in.js';

const merges = (...parameters: Parameters<typeof mergesInAdvance>): [from: number, count: number, bytes: number][] =>
  [...mergesInAdvance(...parameters)].map(({ from, count, bytes }) => [from, count, bytes]);

it('merges as few neighbors as possible in advance: those with the fewest bytes, the first of equal ones', () => {
  expect(merges([9, 1, 2, 8, 1, 1], 5)).toEqual([[4, 2, 2]]);
  expect(merges([1, 2, 1, 2], 3)).toEqual([[0, 2, 3]]);
  expect(merges([1, 2, 1, 2, 3], 3)).toEqual([[0, 3, 4]]);
  expect(merges([3, 1, 1, 1], 3)).toEqual([[1, 2, 2]]);
  expect(merges([7, 7], 2)).toEqual([]);
});

it('counts a merged text with its bytes, and goes on until few enough are left', () => {
  expect(merges([1, 1, 1, 1, 1], 2)).toEqual([
    [0, 2, 2],
    [1, 2, 2],
    [1, 2, 3],
  ]);
});

it('merges no neighbors across a border, and ends if only borders are left', () => {
  expect(merges([1, 1, 5, 5], 3, [1])).toEqual([[1, 2, 6]]);
  expect(merges([1, 1, 5, 5, 1, 1], 2, [1, 3])).toEqual([
    [4, 2, 2],
    [1, 2, 6],
    [2, 2, 7],
  ]);
  expect(merges([1, 1, 1], 2, [1, 2])).toEqual([]);
});

it('moves each byte about once per merge level at most', () => {
  for (const [count, levels] of [
    [11, 1],
    [100, 1],
    [1000, 2],
    [5000, 3],
  ] as const) {
    const moved = merges(Array(count).fill(1), 10).reduce((sum, [, , bytes]) => sum + bytes, 0);
    expect(moved / count, String(count)).toBeLessThanOrEqual(levels * 1.1);
  }
});

it('takes more texts than a call has arguments', () => {
  expect(merges(Array(300_000).fill(1), 256)).toHaveLength(Math.ceil((300_000 - 256) / 255));
});

it('gives each text two windows, of at least the planned size', () => {
  const [KiB, MiB] = [1 << 10, 1 << 20];
  expect([0, 4, 7, 8 * MiB].map((bytes) => mostTexts(bytes, 1))).toEqual([2, 2, 3, 4 * MiB]);
  expect(windowBytes(4, 64 * MiB, 384 * KiB, 16 * MiB)).toBe(8 * MiB);
  expect(windowBytes(4, 8 * MiB, 384 * KiB, 16 * MiB)).toBe(MiB);
  expect(windowBytes(4, 64 * MiB, 384 * KiB, 2 * MiB)).toBe(2 * MiB);
  // Two texts are always merged, in more memory than planned if need be.
  expect(windowBytes(2, 8 * KiB, 384 * KiB, 16 * MiB)).toBe(384 * KiB);
  // More texts than planned: smaller windows, down to a limit.
  expect(windowBytes(16, MiB, 384 * KiB, 16 * MiB)).toBe(32 * KiB);
  expect(windowBytes(1000, MiB, 384 * KiB, 16 * MiB)).toBe(4 * KiB);
});
