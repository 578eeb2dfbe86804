/** Radix-refine against the host's sort; alphabets. */
import { describe, expect, it } from 'vitest';
import { loadRadixRefine, radixRefine, type RefineTuning } from '../../../src/gpu/radix-refine/radix-refine.js';
import { alphabetOf } from '../../../src/keys/alphabet.js';
import { describeGpu } from '../../setup/gpu.js';
import { LINES } from '../../support/records.js';
import { useGpu } from '../helpers.js';
import { checkStringSort, REVERSE, testStringSort, type StringSort } from '../string-sorts.js';

describe('alphabets', () => {
  const present = (...bytes: number[]): Uint32Array => {
    const words = new Uint32Array(8);
    for (const b of bytes) words[b >> 5]! |= 1 << (b & 31);
    return words;
  };
  it.each([
    ['nothing', [], 0, 1, 64], ['one byte', [97], 1, 1, 64], ['ACGT', [65, 67, 71, 84], 4, 3, 21], ['three', [1, 2, 3], 3, 2, 32],
    ['all', Array.from({ length: 256 }, (_, b) => b), 256, 9, 7],
  ])('%s', (_, bytes, size, symbolBits, keySymbols) => {
    expect(alphabetOf(present(...bytes), null)).toMatchObject({ size, symbolBits, keySymbols });
  });
  it('numbers bytes in order, without the delimiter', () => {
    const { numbers, size } = alphabetOf(present(10, 65, 255, 0), 10);
    expect([size, numbers[0], numbers[10], numbers[65], numbers[255], numbers[66]]).toEqual([3, 1, 0, 2, 3, 0]);
  });
});

describeGpu('radix-refine', () => {
  const gpu = useGpu();
  const sortBy = (tuning?: RefineTuning): StringSort => async (device, pool, records, ordering, commonPrefix) => {
    await loadRadixRefine(device, ordering);
    return radixRefine(device, pool, records, ordering, commonPrefix, tuning);
  };
  testStringSort(gpu, sortBy(), sortBy({ radixGroup: 2, radixCount: 0 }));
  it.each([4095, 4096, 4097, 9001])('sorts records that all share %i bytes', async (shared) => {
    const records = Array.from({ length: 90 }, (_, i) => Buffer.from('x'.repeat(shared) + String((i * 37) % 60)));
    for (const ordering of [LINES, { ...REVERSE, unique: true, lastResort: false }]) {
      await checkStringSort(gpu(), sortBy(), records, ordering);
      await checkStringSort(gpu(), sortBy(), records, ordering, 3000);
    }
  });
});
