/**
 * How the scatter step of a radix sort is compiled and dispatched on a device. Knows nothing of passes.
 */

import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import { type FixedKeySpec, keyConstants, keyWords } from '../key-sort.js';
import type { DecidedTuning } from './tuning.js';

export const RADIX = 256;
/** Threads per workgroup of scatter-portable.wgsl. */
const PORTABLE_THREADS = 256;
/** Maximum subgroups per workgroup: each has 1 KiB of counts. */
const MOST_SUBGROUPS = 16;

/** How the scatter step is dispatched. */
export interface ScatterShape {
  readonly kernel: string;
  readonly tile: number;
  readonly constants: KernelConstants;
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
      kernel: 'keys/radix-sort/scatter-subgroups',
      tile: threads * 4 * fours,
      constants: keyConstants(spec, { ...consts, ...own }),
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
    kernel: 'keys/radix-sort/scatter-portable',
    tile: PORTABLE_THREADS * items,
    constants: keyConstants(spec, { ...consts, ITEMS: items }),
  };
}

export function scatterShape(gpu: Gpu, spec: FixedKeySpec, tuning: DecidedTuning): ScatterShape {
  const shape = gpu.subgroups !== null && tuning.subgroups ? subgroupShape(gpu, spec, tuning, gpu.subgroups) : null;
  return shape ?? portableShape(gpu, spec, tuning);
}
