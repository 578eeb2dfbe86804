/** The MSD radix sort of strings with the sizes that a test chooses, and texts of short alphabets. */
import { type MsdTuning, msdRadix } from '../../../../../src/engines/gpu/strings/msd-radix/msd-radix.js';
import { randomBelow } from '../../../../support/random.js';
import type { StringSort } from '../string-sorts.js';

/** Tiles so small that few records make buckets of all sizes. */
export const SMALL: Partial<MsdTuning> = { tile: 64, middleTiles: 2, digitBits: 4, mergeTile: 64, splitTies: 100 };

export function msdBy(tuning: Partial<MsdTuning> = {}, slices: readonly number[] | null = null): StringSort {
  const stage = msdRadix(tuning);
  return async (gpu, pool, records, ordering, commonPrefix) => {
    await stage.load(gpu, ordering);
    return stage.order(gpu, pool, records, ordering, { slices, commonPrefix });
  };
}

export function letters(n: number, length: number, alphabet: string, seed: number): Buffer[] {
  const next = randomBelow(seed);
  return Array.from({ length: n }, () =>
    Buffer.from(Array.from({ length }, () => alphabet[next(alphabet.length)]).join('')),
  );
}
