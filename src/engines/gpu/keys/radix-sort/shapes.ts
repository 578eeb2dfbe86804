/**
 * How the scatter step of a radix sort is compiled and dispatched on a device. Knows nothing of passes.
 */
import type { Gpu } from '../../device/device.js';
import { Kernel } from '../../device/dispatch.js';
import { RADIX_SKIP_FROM } from '../../thresholds.js';
import { type FixedKeySpec, type KeyArrays, keyConstants, keyWords } from '../key-sort.js';

export const RADIX = 256;
/** Threads per workgroup of scatter-portable.wgsl. */
const PORTABLE_THREADS = 256;
/** Maximum subgroups per workgroup: each has 1 KiB of counts. */
const MOST_SUBGROUPS = 16;

/** How the scatter step is dispatched. */
export interface ScatterShape {
  readonly kernel: Kernel;
  readonly tile: number;
}

/** The constants of sweep-one.wgsl or sweep-two.wgsl, and the words of workgroup memory that it takes. */
function sweep({ sweep, looks, spins, stall }: DecidedTuning): {
  consts: Readonly<Record<string, number>>;
  words: number;
} {
  if (sweep === 'two') return { consts: { SWEEPS: 2 }, words: 0 };
  return { consts: { SWEEPS: 1, LOOKS: looks, SPINS: spins, STALL: stall }, words: 2 };
}

/**
 * Maximum keys per thread of scatter-subgroups.wgsl, in fours. On an H200 a pass is fastest with as many keys as fit
 * into 24 KiB of workgroup memory: with a word more, fewer workgroups share a processor (2^27 u32 pairs: 28.0 G/s
 * with 23 KiB, 18.8 with 24 KiB and the same keys).
 */
const MOST_FOURS = 5;
/** Keys of four words need more registers (2^26 u128 pairs: 3.8 G/s with 2, 4.0 with 3, 3.2 with 4). */
const MOST_LONG_FOURS = 3;

/** Null if no workgroup of whole subgroups, whatever their size, has room for four keys per thread. */
function subgroupShape(
  gpu: Gpu,
  spec: FixedKeySpec,
  tuning: DecidedTuning,
  { least, most }: { least: number; most: number },
): ScatterShape | null {
  const { consts, words } = sweep(tuning);
  for (let threads = Math.min(256, MOST_SUBGROUPS * least); threads >= most; threads /= 2) {
    const subgroups = threads / least;
    // The same memory holds counts of the subgroups, then a word of each key.
    const room = gpu.workgroupBytes / 4 - (MOST_SUBGROUPS + RADIX + words);
    const fits = room < subgroups * RADIX ? 0 : Math.floor(room / threads / 4);
    if (fits < 1) continue;
    const fours =
      tuning.items === null ? Math.min(keyWords(spec) === 4 ? MOST_LONG_FOURS : MOST_FOURS, fits) : tuning.items / 4;
    const own = { THREADS: threads, FOURS: fours, SUBGROUPS: subgroups, MATCH_WORDS: most > 32 ? 4 : 1 };
    return {
      kernel: new Kernel(gpu, 'keys/radix-sort/scatter-subgroups', keyConstants(spec, { ...consts, ...own })),
      tile: threads * 4 * fours,
    };
  }
  return null;
}

function portableShape(gpu: Gpu, spec: FixedKeySpec, tuning: DecidedTuning): ScatterShape {
  const { consts, words } = sweep(tuning);
  // Workgroup memory for the table of bits, counts, targets and thread-sums.wgsl.
  const room = gpu.workgroupBytes - 4 * (RADIX * 8 + 2 * RADIX + PORTABLE_THREADS + PORTABLE_THREADS / 16 + words);
  const items = tuning.items ?? Math.max(1, Math.min(16, Math.floor(room / (PORTABLE_THREADS * 4 * keyWords(spec)))));
  return {
    kernel: new Kernel(gpu, 'keys/radix-sort/scatter-portable', keyConstants(spec, { ...consts, ITEMS: items })),
    tile: PORTABLE_THREADS * items,
  };
}

export function scatterShape(gpu: Gpu, spec: FixedKeySpec, tuning: DecidedTuning): ScatterShape {
  const shape = gpu.subgroups !== null && tuning.subgroups ? subgroupShape(gpu, spec, tuning, gpu.subgroups) : null;
  return shape ?? portableShape(gpu, spec, tuning);
}

/**
 * Parameters of a radix sort that affect speed but not results.
 */
export interface RadixSortTuning {
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
   * that the counts are negligible compared with the keys.
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
type DecidedTuning = RadixSortTuning & { readonly sweep: 'one' | 'two' };

/**
 * NVIDIA's devices keep running all workgroups that have begun. On other devices a wait would often end in counting a
 * late tile's keys.
 */
export function decideSweep({ facts, subgroups }: Gpu, tuning: RadixSortTuning): DecidedTuning {
  const one = facts.vendor === 'nvidia' && !facts.software && subgroups !== null && tuning.subgroups;
  return { ...tuning, sweep: tuning.sweep !== 'auto' ? tuning.sweep : one ? 'one' : 'two' };
}

export const RADIX_TUNING: RadixSortTuning = {
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

/** The passes of one sort: in one sweep (one-sweep.ts) or in two (two-sweeps.ts). */
export interface Passes {
  /**
   * Submits the work that must precede the first pass. With `ask`, resolves to the bits in which keys differ, possibly
   * with further bits, in digitShifts' format. Otherwise returns null.
   */
  survey(arrays: KeyArrays, ask: boolean): Promise<number[]> | null;
  /** Encodes a pass over the 8 bits from `shift` on. */
  record(pass: GPUComputePassEncoder, source: KeyArrays, target: KeyArrays, shift: number): void;
  /** Returns the buffers of the passes to the scratch pool. */
  end(): void;
}
