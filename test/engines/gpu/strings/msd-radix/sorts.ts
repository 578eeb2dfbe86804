/** The MSD radix sort of strings with the sizes that a test chooses, and texts of short alphabets. */
import type { SplitTuning } from '../../../../../src/engines/gpu/strings/msd-radix/entries.js';
import { msdRadix } from '../../../../../src/engines/gpu/strings/msd-radix/msd-radix.js';
import { randomBelow } from '../../../../support/random.js';
import { refineBy } from '../radix-refine/sorts.js';
import type { StringSort } from '../string-sorts.js';

/** Tiles so small that few records make buckets of all sizes. */
export const SMALL: Partial<SplitTuning> = { tile: 64, middleTiles: 2, digitBits: 4 };

export function msdBy(tuning: Partial<SplitTuning> = {}): StringSort {
  return refineBy({ firstSort: msdRadix(tuning) });
}

export function letters(n: number, length: number, alphabet: string, seed: number): Buffer[] {
  const next = randomBelow(seed);
  return Array.from({ length: n }, () =>
    Buffer.from(Array.from({ length }, () => alphabet[next(alphabet.length)]).join('')),
  );
}
