/**
 * Which digits a radix sort has to look at.
 */
import { DIGIT_BITS } from '../../keys/thresholds.js';

/**
 * The lowest bits of the digits that cover all bits in which keys differ, the lowest first. `differing` are the words of the codes, the highest
 * first (kernels/radix-sort/differing-bits.wgsl; in one sweep all bits of the digits that differ). Digits begin at bits that differ, wherever
 * these are: 8 scattered bits may take 8 passes, 20 neighbouring ones take 3.
 */
export function digitShifts(differing: readonly number[]): number[] {
  const bits = 32 * differing.length;
  const differs = (bit: number): boolean => ((differing[differing.length - 1 - (bit >> 5)]! >>> (bit & 31)) & 1) === 1;
  const shifts: number[] = [];
  for (let bit = 0; bit < bits; bit++) {
    if (!differs(bit)) continue;
    // Not beyond the highest bit: a digit there would hold fewer, which is as right, but the lower bits come for free.
    shifts.push(bit);
    bit += DIGIT_BITS - 1;
  }
  return shifts;
}
