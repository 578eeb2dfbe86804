/** Segments of many shapes, and a check of segmented sorts against the host's. */
import { expect } from 'vitest';
import type { Gpu } from '../../../../src/gpu/device/device.js';
import { DevicePool, Scratch } from '../../../../src/gpu/device/pool.js';
import { type FixedKeySpec, keyWords } from '../../../../src/gpu/keys/key-sort.js';
import type { SegmentedSort } from '../../../../src/gpu/keys/segmented-sort/segmented-sort.js';
import type { MergeStatistics } from '../../../../src/report/merges.js';
import { random } from '../../../support/random.js';
import { readWords, upload } from '../../helpers.js';
import { destroyArrays, holds, keyArrays, permuted, sortedOrder } from '../key-sorts.js';

/** The starts of segments that cover n elements. Lengths come from `length`, rounded down, but are at least one. */
export function begins(n: number, length: (i: number) => number): number[] {
  const all: number[] = [];
  for (let at = 0, i = 0; at < n; at += Math.max(1, Math.floor(length(i))), i++) all.push(at);
  return all;
}

/** Segments of n elements for tiles of `tile` elements: of one element, of all, exact tiles, random, few and many. */
export const SEGMENTS: Readonly<Record<string, (n: number, tile: number) => number[]>> = {
  'of one': (n) => begins(n, () => 1),
  'one of all': (n) => begins(n, () => n),
  tiles: (n, tile) => begins(n, () => tile),
  'ending one before tiles': (n, tile) => begins(n, (i) => (i === 0 ? tile - 1 : tile)),
  'ending one after tiles': (n, tile) => begins(n, (i) => (i === 0 ? tile + 1 : tile)),
  'up to three tiles': (n, tile) => {
    const next = random(n + 1);
    return begins(n, () => 1 + next() * 3 * tile);
  },
  tiny: (n) => {
    const next = random(n + 2);
    return begins(n, () => 1 + next() * 6);
  },
  'long and tiny': (n, tile) => {
    const next = random(n + 3);
    return begins(n, (i) => next() * (i % 20 === 0 ? 9 * tile : 9));
  },
  'two halves': (n) => begins(n, () => Math.ceil(n / 2)),
};

/** One bit per element, set at the start of a segment. Bits from n on are all set; sorts must ignore them. */
export function flagsOf(n: number, heads: readonly number[]): Uint32Array {
  const flags = new Uint32Array(Math.max(4, Math.ceil(n / 32)));
  for (let i = n; i < flags.length * 32; i++) flags[i >> 5] |= 1 << (i & 31);
  for (const head of heads) flags[head >> 5] |= 1 << (head & 31);
  return flags;
}

/** The numbers 0 ... n - 1 in the order in which the host sorts the segments. */
export function segmentedOrder(spec: FixedKeySpec, keys: Uint32Array, heads: readonly number[]): Uint32Array {
  const words = keyWords(spec);
  const n = keys.length / words;
  const order = new Uint32Array(n);
  [...new Set([0, ...heads])]
    .sort((a, b) => a - b)
    .forEach((begin, s, all) => {
      const end = all[s + 1] ?? n;
      order.set(
        sortedOrder(spec, keys.subarray(begin * words, end * words)).map((i) => i + begin),
        begin,
      );
    });
  return order;
}

/** Sorts `keys` within segments, given as flags or as indices, on the device. Expects the host's result. */
export async function checkSegmentedSort(
  gpu: Gpu,
  sort: SegmentedSort,
  spec: FixedKeySpec,
  keys: Uint32Array,
  heads: readonly number[],
  as: 'flags' | 'indices',
): Promise<MergeStatistics> {
  const n = keys.length / keyWords(spec);
  const pool = new DevicePool(gpu);
  const scratch = new Scratch(pool);
  const [from, spare] = [keyArrays(gpu, spec, n, keys), keyArrays(gpu, spec, n, null)];
  const words = as === 'flags' ? flagsOf(n, heads) : Uint32Array.from(heads);
  const given = upload(gpu, words, words.byteLength + 64);
  await sort.load(gpu, spec);
  let statistics: MergeStatistics | undefined;
  const sorted = await sort.sort(
    gpu,
    scratch,
    spec,
    from,
    spare,
    n,
    as === 'flags' ? { flags: given } : { begins: given, segments: heads.length },
    (s) => {
      statistics = s;
    },
  );
  expect(sorted === from || sorted === spare).toBe(true);
  const order = segmentedOrder(spec, keys, heads);
  await holds(gpu, sorted, permuted(spec, keys, order), order);
  for (const buffer of sorted === from ? [spare.keys, spare.values] : [from.keys, from.values]) {
    const guards = buffer === null ? [] : (await readWords(gpu, buffer)).subarray(-64);
    expect(
      guards.every((w) => w === 0xa5a5a5a5),
      'words after the other arrays',
    ).toBe(true);
  }
  expect((await readWords(gpu, given)).subarray(0, words.length), 'segments').toEqual(words);
  scratch.end();
  pool.destroyIdle();
  destroyArrays(from, spare);
  given.destroy();
  return statistics!;
}
