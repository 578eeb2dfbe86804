/**
 * What the speed of a radix sort depends on and its results do not.
 */
import { RADIX_SKIP_FROM } from '../../keys/thresholds.js';
import type { Gpu } from '../device/device.js';
import { keyWords, type KeySpec } from '../keys.js';

export interface RadixTuning {
  /**
   * How tiles learn where their keys go. In two sweeps a pass all digits are counted before any key is moved, which needs nothing that WebGPU
   * does not promise; in one they are counted on the way (radix-sweep-1.wgsl), where tiles wait for each other. `auto`: one where workgroups that
   * wait are known not to hold up those that they wait for, unless all that is moved is keys of 32 bits (4 to 9 % slower on an H200; pairs 35 % faster).
   */
  readonly sweep: 'one' | 'two' | 'auto';
  /** Whether kernels use subgroups where the device has them. */
  readonly subgroups: boolean;
  /** Keys a thread, a multiple of 4 up to 16 with subgroups; null: as many as workgroup memory and registers hold. */
  readonly items: number | null;
  /** Blocks that digits are counted by in two sweeps, at most: enough to keep a large GPU busy to the end, few enough that counts are nothing beside the keys. */
  readonly blocks: number;
  /** Records from which digits that do not differ are looked for: before, a pass costs less than asking. */
  readonly skipFrom: number;
  /** Records from which the pass of the lowest digit does not wait for that. */
  readonly aheadFrom: number;
  /** In one sweep: words of the chain that a thread looks at together, 1 to 4. */
  readonly looks: number;
  /** In one sweep: looks in vain at a tile that is late, before its keys are counted by who waits for it. */
  readonly spins: number;
  /** In one sweep, for tests: every so many-th tile tells others nothing, so that they have to count its keys; 0: none. */
  readonly stall: number;
}

/** The same with `sweep` decided. */
export type DecidedTuning = RadixTuning & { readonly sweep: 'one' | 'two' };

/** NVIDIA's devices run all workgroups that have begun; elsewhere a wait would often end in counting a late tile's keys. */
export function decideSweep({ facts, subgroups }: Gpu, spec: KeySpec, tuning: RadixTuning): DecidedTuning {
  const one = (spec.values || keyWords(spec) > 1) && facts.vendor === 'nvidia' && !facts.software && subgroups !== null && tuning.subgroups;
  return { ...tuning, sweep: tuning.sweep !== 'auto' ? tuning.sweep : one ? 'one' : 'two' };
}

export const RADIX_TUNING: RadixTuning = {
  sweep: 'auto', subgroups: true, items: null, blocks: 16384, skipFrom: RADIX_SKIP_FROM, aheadFrom: 1 << 20, looks: 4, spins: 256, stall: 0,
};
