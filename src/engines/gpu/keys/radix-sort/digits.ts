/**
 * The digits that a radix sort has to sort by.
 */
import { DIGIT_BITS } from '../../thresholds.js';

/**
 * The lowest bits of the digits that cover all bits in which keys differ, in ascending order. `differing` are the words
 * of the codes, highest first (kernels/wgsl/keys/radix-sort/differing-bits.wgsl; one sweep reports all bits of the
 * digits that differ). A digit begins at any bit that differs: 8 scattered bits may take 8 passes, 20 adjacent ones
 * take 3.
 */
export function digitShifts(differing: readonly number[]): number[] {
  const bits = 32 * differing.length;
  const differs = (bit: number): boolean => ((differing[differing.length - 1 - (bit >> 5)] >>> (bit & 31)) & 1) === 1;
  const shifts: number[] = [];
  for (let bit = 0; bit < bits; bit++) {
    if (!differs(bit)) continue;
    // Near the highest bit a digit has fewer than 8 bits, which is right as well.
    shifts.push(bit);
    bit += DIGIT_BITS - 1;
  }
  return shifts;
}
