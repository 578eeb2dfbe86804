/**
 * What the two ways to do the passes of a radix sort have in common.
 */
import type { KeyArrays } from '../keys.js';

/** The passes of one sort. */
export interface Passes {
  /**
   * Submits what has to be known of the keys before the first pass. With `ask`, the answer are the bits in which keys differ, or more of them, as
   * digitShifts takes them; else null.
   */
  survey(arrays: KeyArrays, ask: boolean): Promise<number[]> | null;
  /** Records a pass by the 8 bits from `shift` on. */
  record(pass: GPUComputePassEncoder, source: KeyArrays, target: KeyArrays, shift: number): void;
  /** Gives back what the passes took. */
  end(): void;
}
