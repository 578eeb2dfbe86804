/**
 * Parameters of a radix sort that affect speed but not results.
 */

import type { Gpu } from '../../device/device.js';
import { RADIX_SKIP_FROM } from '../../thresholds.js';

export interface RadixTuning {
  /**
   * How tiles learn where their keys go. In two sweeps per pass, all digits are counted before any key is moved; this
   * needs nothing beyond what WebGPU promises. In one sweep, they are counted on the way (sweep-one.wgsl), and
   * tiles wait for each other. `auto`: one sweep if waiting workgroups are known not to hold up those that they wait
   * for.
   */
  readonly sweep: 'one' | 'two' | 'auto';
  /** Whether kernels use subgroups if the device has them. */
  readonly subgroups: boolean;
  /** Keys per thread; with subgroups a multiple of 4 up to 20. Null: as many as workgroup memory and registers hold. */
  readonly items: number | null;
  /**
   * Maximum number of blocks for counting digits in two sweeps. Enough to keep a large GPU busy to the end, few enough
   * that the counts are negligible beside the keys.
   */
  readonly blocks: number;
  /** Minimum keys for finding digits that do not differ. With fewer keys a pass costs less than finding out. */
  readonly skipFrom: number;
  /** Minimum keys for submitting passes of the lowest digits before that answer arrives. */
  readonly aheadFrom: number;
  /** One sweep only: words of the chain that a thread reads at once, 1 to 4. */
  readonly looks: number;
  /** One sweep only: failed look-backs at a late tile before the waiting workgroup counts that tile's keys itself. */
  readonly spins: number;
  /** One sweep only, for tests: every `stall`th tile publishes nothing, so that others must count its keys; 0: none. */
  readonly stall: number;
}

/** The tuning with `sweep` decided. */
export type DecidedTuning = RadixTuning & { readonly sweep: 'one' | 'two' };

/**
 * NVIDIA's devices keep running all workgroups that have begun. On other devices a wait would often end in counting a
 * late tile's keys.
 */
export function decideSweep({ facts, subgroups }: Gpu, tuning: RadixTuning): DecidedTuning {
  const one = facts.vendor === 'nvidia' && !facts.software && subgroups !== null && tuning.subgroups;
  return { ...tuning, sweep: tuning.sweep !== 'auto' ? tuning.sweep : one ? 'one' : 'two' };
}

export const RADIX_TUNING: RadixTuning = {
  sweep: 'auto',
  subgroups: true,
  items: null,
  blocks: 16384,
  skipFrom: RADIX_SKIP_FROM,
  aheadFrom: 1 << 20,
  looks: 4,
  spins: 256,
  stall: 0,
};
