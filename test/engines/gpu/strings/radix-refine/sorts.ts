/** Radix-refine with the sizes and the first sort that a test chooses. */
import {
  loadRadixRefine,
  RADIX_REFINE_TUNING,
  type RadixRefineTuning,
  radixRefine,
} from '../../../../../src/engines/gpu/strings/radix-refine/radix-refine.js';
import type { StringSort } from '../string-sorts.js';

export function refineBy(tuning: Partial<RadixRefineTuning> = {}): StringSort {
  const whole = { ...RADIX_REFINE_TUNING, ...tuning };
  return async (gpu, pool, records, ordering, commonPrefix) => {
    await loadRadixRefine(gpu, ordering, whole);
    return radixRefine(gpu, pool, records, ordering, { commonPrefix, tuning: whole });
  };
}
