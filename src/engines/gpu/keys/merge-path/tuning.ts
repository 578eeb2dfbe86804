/**
 * How merges of fixed-size keys are dispatched: workgroup and tile sizes, the variant of each step. Knows no buffers.
 */

import type { Gpu } from '../../device/device.js';
import { Kernel } from '../../device/dispatch.js';
import { type FixedKeySpec, keyConstants, keyWords } from '../key-sort.js';
import type { MergeKernels } from './passes.js';

/**
 * How the first inputs of a share of output are found on its diagonal (Green, McColl, Bader 2012, section 2.2).
 * `binary`: one thread, by binary search. `wide`: a workgroup compares neighboring points in each step of a binary
 * search. `parts`: a workgroup divides the rest of the diagonal into as many parts as it has threads.
 */
export type DiagonalSearch = 'binary' | 'wide' | 'parts';

/**
 * How tiles are merged. `merge`: one workgroup per tile. `merge-registers`: likewise, with the output in registers (for
 * keys without values). `merge-narrow`: compares only the 32 bits after those that all keys of a window share (for keys
 * of several words). `merge-windows`: a workgroup merges several tiles with a moving window.
 */
export type MergeKernel = 'merge' | 'merge-registers' | 'merge-narrow' | 'merge-windows';

export interface MergeTuning {
  /** Threads per workgroup, at most 256. */
  readonly threads: number;
  /**
   * Keys of the output that a thread merges per tile, at most 32. Odd numbers avoid bank conflicts in workgroup memory
   * between threads that advance in step.
   */
  readonly perThread: number;
  /** `auto`: `binary`, but `wide` in passes over long runs. */
  readonly search: DiagonalSearch | 'auto';
  /** The mean length of runs from which `auto` takes `wide`. */
  readonly wideFrom: number;
  readonly kernel: MergeKernel;
  /** Tiles per workgroup; 1 except for merge-windows. */
  readonly windows: number;
  /** Workgroups per dispatch, few enough for a small GPU's watchdog. */
  readonly launchGroups: number;
}

/**
 * Measured on an H200: one pass over two runs takes 17.6 us with `wide` and 22.0 with `binary` for runs of 2^19 u32
 * pairs, 897 and 928 us for runs of 2^26. A whole sort, most of whose passes are over shorter runs, takes 19.7 and 18.2
 * ms (2^27 pairs; 19.8 with `parts`).
 */
const WIDE_FROM = 2 ** 19;
/**
 * For one-word keys it is `merge-registers` without values (2^27 keys on an H200: 9.8 ms instead of 11.3), else
 * `merge`. 2^27 u64 pairs take 27.6 ms with merge-narrow and 31.6 with merge; 2^26 u128 pairs take 22.1 and 38.9.
 * merge-windows takes a fifth longer.
 */
const KERNEL: MergeKernel = 'merge-narrow';
/** Outputs that a thread of merge-registers has registers for. */
const MOST_REGISTERS = 9;
const WINDOWS = 8;
const THREADS = 256;
/** On an H200 a sort of 2^27 u32 pairs takes 17.6 ms with 5, 18.2 with 7, 18.5 with 9, 25.4 with 15. */
const MOST_PER_THREAD = 7;
/** More workgroup memory would lower occupancy too far. (An H200's multiprocessor: 228 KiB, 2,048 threads.) */
const MOST_BYTES = 40 * 1024;
/** Words moved per dispatch, each read and written: 64 ms at 50 GB/s. */
const LAUNCH_WORDS = 3 * 2 ** 27;
/** Bytes of a thread's path in workgroup memory. */
const PATH_BYTES = 8;

/** The tuning for a device; values in `asked` take precedence. */
export function mergeTuning(gpu: Gpu, spec: FixedKeySpec, asked: Partial<MergeTuning> = {}): MergeTuning {
  const words = keyWords(spec);
  const { threads = THREADS, search = 'auto', wideFrom = WIDE_FROM } = asked;
  let { kernel = KERNEL } = asked;
  // A one-word key has no common bits to shift out.
  if (kernel === 'merge-narrow' && words === 1) kernel = 'merge-registers';
  if (kernel === 'merge-registers' && (spec.values || (asked.perThread ?? 0) > MOST_REGISTERS)) kernel = 'merge';
  const windows = kernel === 'merge-windows' ? (asked.windows ?? WINDOWS) : 1;
  const perThread =
    asked.perThread ??
    mostOdd(
      (Math.min(gpu.workgroupBytes, MOST_BYTES) / threads - PATH_BYTES) / keyBytes(kernel, words),
      kernel === 'merge-registers' ? MOST_REGISTERS : MOST_PER_THREAD,
    );
  const launchGroups =
    asked.launchGroups ??
    Math.max(1, Math.floor(LAUNCH_WORDS / (words + Number(spec.values)) / (threads * perThread * windows)));
  return { threads, perThread, search, wideFrom, kernel, windows, launchGroups };
}

/** Bytes of workgroup memory that a kernel needs per key of a tile. */
function keyBytes(kernel: MergeKernel, words: number): number {
  if (kernel === 'merge-narrow') return 4;
  return kernel === 'merge-windows' ? 8 * words : 4 * words;
}

/** The largest odd number that is at most `fitting` and `limit`. */
function mostOdd(fitting: number, limit: number): number {
  const most = Math.min(limit, Math.floor(fitting));
  return most - (1 - (most % 2));
}

/** Shares that a workgroup of each search handles. */
const SEARCH_SHARES: Readonly<Record<DiagonalSearch, number>> = { binary: 64, wide: 1, parts: 1 };

/**
 * The searches by the length of runs. A binary search depends on one read for each bit of the length. While runs are
 * short, those reads hit the cache and a thread per diagonal is cheapest. In long runs each read waits for memory: a
 * workgroup per diagonal then saves the last five reads, and has more of them under way. It needs no subgroups.
 */
function searchesFor({ search, wideFrom }: MergeTuning): readonly (readonly [DiagonalSearch, number])[] {
  if (search !== 'auto') return [[search, 0]];
  return [
    ['binary', 0],
    ['wide', wideFrom],
  ];
}

export function mergeKernels(gpu: Gpu, spec: FixedKeySpec, tuning: MergeTuning): MergeKernels {
  const { threads, perThread, kernel, windows, launchGroups } = tuning;
  return {
    share: threads * perThread * windows,
    launchGroups,
    searches: searchesFor(tuning).map(([search, from]) => ({
      from,
      // Input positions depend on keys alone.
      kernel: new Kernel(gpu, `keys/merge-path/search-${search}`, keyConstants({ ...spec, values: false })),
      shares: SEARCH_SHARES[search],
    })),
    merge: new Kernel(
      gpu,
      `keys/merge-path/${kernel}`,
      keyConstants(spec, { THREADS: threads, PER_THREAD: perThread, WINDOWS: windows }),
    ),
  };
}

/** Compiles the kernels of merge passes. */
export function loadMerge({ searches, merge }: MergeKernels): Promise<unknown> {
  return Promise.all([merge.load(), ...searches.map(({ kernel }) => kernel.load())]);
}
