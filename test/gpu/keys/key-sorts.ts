/**
 * Shared by the tests of sorts of fixed keys: a sort on the host, and a check of a sort on the device, including order,
 * stability and the words after the arrays.
 */
import { expect } from 'vitest';
import type { Gpu } from '../../../src/gpu/device/device.js';
import { DevicePool, Scratch } from '../../../src/gpu/device/pool.js';
import {
  type FixedKeySpec,
  type KeyArrays,
  type KeySort,
  type KeyType,
  keyWords,
} from '../../../src/gpu/keys/key-sort.js';
import { readWords, sameWords, upload } from '../helpers.js';

export const KEY_TYPES: readonly KeyType[] = ['u32', 'u64', 'u128', 'prefix'];

/** All specs of these types: keys alone and pairs. */
export function specsOf(types: readonly KeyType[]): FixedKeySpec[] {
  return types.flatMap((type) => [false, true].map((values) => ({ type, values })));
}

export function nameOf({ type, values }: FixedKeySpec): string {
  return `${type} ${values ? 'pairs' : 'keys'}`;
}

/** The words of key i, highest first, as numbers that compare as the keys do. */
function code(spec: FixedKeySpec, keys: Uint32Array, i: number): number[] {
  const words = keyWords(spec);
  const code = Array.from(keys.subarray(i * words, (i + 1) * words));
  if (spec.type !== 'prefix') code.reverse();
  return code;
}

/** The numbers 0 ... n - 1, sorted stably by their keys. */
export function sortedOrder(spec: FixedKeySpec, keys: Uint32Array): Uint32Array {
  const n = keys.length / keyWords(spec);
  const codes = Array.from({ length: n }, (_, i) => code(spec, keys, i));
  return Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => {
    for (let w = 0; w < codes[a].length; w++) {
      if (codes[a][w] !== codes[b][w]) return codes[a][w] - codes[b][w];
    }
    return a - b;
  });
}

/** Keys, permuted by `order`. */
export function permuted(spec: FixedKeySpec, keys: Uint32Array, order: Uint32Array): Uint32Array {
  const words = keyWords(spec);
  return Uint32Array.from({ length: keys.length }, (_, i) => keys[order[Math.floor(i / words)] * words + (i % words)]);
}

/** Guard words after each array, which must not change. */
const GUARD_WORDS = 64;

/** Expects that `arrays` hold `keys` (and `values`) and that nothing was written after them. */
export async function holds(gpu: Gpu, arrays: KeyArrays, keys: Uint32Array, values: Uint32Array): Promise<void> {
  const guards = (words: Uint32Array, from: number): boolean => words.subarray(from).every((w) => w === 0xa5a5a5a5);
  const gotKeys = await readWords(gpu, arrays.keys);
  expect(sameWords(gotKeys.subarray(0, keys.length), keys), 'keys').toBe(true);
  expect(guards(gotKeys, keys.length), 'words after the keys').toBe(true);
  if (arrays.values === null) return;
  const gotValues = await readWords(gpu, arrays.values);
  expect(sameWords(gotValues.subarray(0, values.length), values), 'values').toBe(true);
  expect(guards(gotValues, values.length), 'words after the values').toBe(true);
}

/** Arrays of `n` keys with room for guard words; without `keys` they contain only guard words. */
export function keyArrays(
  gpu: Gpu,
  spec: FixedKeySpec,
  n: number,
  keys: Uint32Array | null,
  values: Uint32Array | null = null,
): KeyArrays {
  const none = new Uint32Array(0);
  const numbers = values ?? (keys === null ? none : Uint32Array.from({ length: n }, (_, i) => i));
  return {
    keys: upload(gpu, keys ?? none, 4 * (n * keyWords(spec) + GUARD_WORDS)),
    values: spec.values ? upload(gpu, numbers, 4 * (n + GUARD_WORDS)) : null,
  };
}

export function destroyArrays(...arrays: KeyArrays[]): void {
  for (const { keys, values } of arrays) {
    keys.destroy();
    values?.destroy();
  }
}

/** Sorts `keys` (words in memory order) on the device and expects the host's result; ties keep input order. */
export async function checkKeySort(gpu: Gpu, sort: KeySort, spec: FixedKeySpec, keys: Uint32Array): Promise<void> {
  const n = keys.length / keyWords(spec);
  const pool = new DevicePool(gpu);
  const scratch = new Scratch(pool);
  const [from, spare] = [keyArrays(gpu, spec, n, keys), keyArrays(gpu, spec, n, null)];
  await sort.load(gpu, spec);
  const sorted = await sort.sort(gpu, scratch, spec, from, spare, n);
  expect(sorted === from || sorted === spare).toBe(true);
  const order = sortedOrder(spec, keys);
  await holds(gpu, sorted, permuted(spec, keys, order), order);
  // The other array may hold anything, but its guard words must not change.
  const other = await readWords(gpu, (sorted === from ? spare : from).keys);
  expect(
    other.subarray(n * keyWords(spec)).every((w) => w === 0xa5a5a5a5),
    'words after the other keys',
  ).toBe(true);
  scratch.end();
  pool.destroyIdle();
  destroyArrays(from, spare);
}
