/**
 * The common interface of the two kinds of radix sort passes.
 */
import type { KeyArrays } from '../key-sort.js';

/** The passes of one sort. */
export interface Passes {
  /**
   * Submits what must be known of the keys before the first pass. With `ask`, resolves to the bits in which keys
   * differ, possibly with further bits, in digitShifts' format. Otherwise returns null.
   */
  survey(arrays: KeyArrays, ask: boolean): Promise<number[]> | null;
  /** Records a pass over the 8 bits from `shift` on. */
  record(pass: GPUComputePassEncoder, source: KeyArrays, target: KeyArrays, shift: number): void;
  /** Returns the buffers of the passes to the scratch pool. */
  end(): void;
}
