/**
 * How merges of fixed-size keys are dispatched: workgroup and tile sizes, the variant of each step. Knows no buffers.
 */

import type { Gpu } from '../../device/device.js';
import { Kernel } from '../../device/dispatch.js';
import { type FixedKeySpec, keyConstants, keyWords } from '../key-sort.js';
import { KEPT, windowPerThread } from './moving-windows.js';
import type { MergeKernels } from './passes.js';

/**
 * How the first inputs of a share of output are found on its diagonal (Green, McColl, Bader 2012, section 2.2).
 * `binary`: one thread, by binary search. `wide`: a workgroup compares neighboring points in each step of a binary
 * search. `parts`: a workgroup divides the rest of the diagonal into as many parts as it has threads.
 */
export type DiagonalSearch = 'binary' | 'wide' | 'parts';

/**
 * How tiles are merged. `merge-four`: one workgroup per tile of four runs, by networks in registers; its search is
 * search-four. The others merge two runs. `merge`: one workgroup per tile. `merge-registers`: likewise, with the output
 * in registers (for keys without values). `merge-narrow`: compares only the 32 bits after those that all keys of a
 * window share (for keys of several words). `merge-windows`: a workgroup merges several tiles with a moving window.
 * `moving-windows`: a workgroup merges two runs of any length, or a part of them, through a window of A in registers
 * and one of B in workgroup memory (moving-windows.ts).
 */
export type MergeKernel =
  | 'merge-four'
  | 'merge'
  | 'merge-registers'
  | 'merge-narrow'
  | 'merge-windows'
  | 'moving-windows';

export interface MergePathTuning {
  /** Threads per workgroup, at most 256. */
  readonly threads: number;
  /**
   * Keys of the output that a thread merges per tile, at most 32; for moving-windows the keys of B's window per thread.
   * Odd numbers avoid bank conflicts in workgroup memory between threads that advance in step. For merge-four 8 or 16.
   */
  readonly perThread: number;
  readonly search: DiagonalSearch;
  readonly kernel: MergeKernel;
  /** Tiles per workgroup; 1 except for merge-windows. */
  readonly windows: number;
  /** Workgroups per dispatch, few enough for a small GPU's watchdog; for moving-windows shares of the least length. */
  readonly launchGroups: number;
  /** Workgroups of moving-windows, which keep running and take shares in turn. */
  readonly groups: number;
}

/**
 * `wide` makes a merge of two runs of 2^26 keys 3 to 7 % faster, and one of 2^20 and 2^27 - 2^20 keys 10 to 19 %
 * slower. In passes over runs of 2^19 keys or more it makes sorts of 2^27 keys 3 to 6 % slower, in those over 2^22 or
 * more 2 to 4 % (H100, 25 November 2026; keys of 32 and 64 bits, with and without values).
 */
export const SEARCH: DiagonalSearch = 'binary';
/**
 * Of two runs. For one-word keys it is `merge-registers` without values (2^27 keys on an H200: 9.8 ms instead of 11.3),
 * else `merge`. 2^27 u64 pairs take 27.6 ms with merge-narrow and 31.6 with merge; 2^26 u128 pairs take 22.1 and 38.9.
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
/**
 * Threads of tiles that are merged by networks. A sort of 2^27 keys on an H200 takes, in milliseconds, with 64, 128 and
 * 256 threads of 16 keys, and 128 and 256 of 8: u32 keys 7.9, 7.2, 8.6, 8.4, 8.2; u32 pairs 16.4, 18.0, 20.1, 14.1,
 * 16.1; u64 keys 14.5, 15.7, 17.4, 13.5, 15.0 (30 November 2026).
 */
const TILE_THREADS = 128;
/** Words moved per dispatch, each read and written: 64 ms at 50 GB/s. */
const LAUNCH_WORDS = 3 * 2 ** 27;
/** Bytes of a thread's path in workgroup memory. */
const PATH_BYTES = 8;
/**
 * Threads of moving-windows, and workgroups: as many as an H200's 132 multiprocessors hold, with up to 2,048 threads
 * each.
 */
const WINDOW_THREADS = 128;
const GROUPS = 2048;
/** Keys that a workgroup of moving-windows may merge alone: 50 ms at 5 M keys a second, which a small GPU exceeds. */
const MOST_ALONE = 2 ** 18;

/** The tuning for a device; values in `asked` take precedence. Without a kernel or a search, four runs are merged. */
export function mergeTuning(gpu: Gpu, spec: FixedKeySpec, asked: Partial<MergePathTuning> = {}): MergePathTuning {
  const words = keyWords(spec);
  let { kernel = asked.search === undefined ? 'merge-four' : KERNEL } = asked;
  // A one-word key has no common bits to shift out.
  if (kernel === 'merge-narrow' && words === 1) kernel = 'merge-registers';
  if (kernel === 'merge-registers' && (spec.values || (asked.perThread ?? 0) > MOST_REGISTERS)) kernel = 'merge';
  const shape = shapeOf(gpu, spec, kernel, asked.threads);
  const { threads = shape.threads, perThread = shape.perThread, search = SEARCH, groups = GROUPS } = asked;
  const windows = kernel === 'merge-windows' ? (asked.windows ?? WINDOWS) : 1;
  const share = shareElements({ threads, perThread, kernel, windows });
  // Moving windows read keys again, not always from a cache.
  const launchWords = kernel === 'moving-windows' ? LAUNCH_WORDS / 2 : LAUNCH_WORDS;
  const launchGroups =
    asked.launchGroups ?? Math.max(1, Math.floor(launchWords / (words + Number(spec.values)) / share));
  return { threads, perThread, search, kernel, windows, launchGroups, groups };
}

/** Threads of a workgroup, and keys of each. */
type TileShape = Pick<MergePathTuning, 'threads' | 'perThread'>;

/** The shape of a kernel's tiles, if it has these threads. */
function shapeOf(gpu: Gpu, spec: FixedKeySpec, kernel: MergeKernel, asked?: number): TileShape {
  if (kernel === 'merge-four') return tileShape(gpu, spec);
  const words = keyWords(spec);
  const bytes = Math.min(gpu.workgroupBytes, MOST_BYTES);
  if (kernel === 'moving-windows') {
    const threads = asked ?? WINDOW_THREADS;
    return { threads, perThread: windowPerThread(bytes, threads, 4 * words) };
  }
  const threads = asked ?? THREADS;
  const most = kernel === 'merge-registers' ? MOST_REGISTERS : MOST_PER_THREAD;
  return { threads, perThread: mostOdd((bytes / threads - PATH_BYTES) / keyBytes(kernel, words), most) };
}

/** The shape of tiles that are merged by networks (keys/tile-merge.wgsl). */
export function tileShape(gpu: Gpu, spec: FixedKeySpec): TileShape & { readonly perThread: 8 | 16 } {
  const words = keyWords(spec) + Number(spec.values);
  const perThread = words === 1 ? 16 : 8;
  const fitting = gpu.workgroupBytes / (4 * (perThread + 1) * words + 4);
  return { threads: Math.min(TILE_THREADS, 2 ** Math.floor(Math.log2(fitting))), perThread };
}

/** Outputs of a workgroup; for moving-windows the minimum, a window of each input. */
function shareElements({
  threads,
  perThread,
  kernel,
  windows,
}: Pick<MergePathTuning, 'threads' | 'perThread' | 'kernel' | 'windows'>): number {
  if (kernel === 'merge-four') return (threads - 1) * perThread;
  return threads * (kernel === 'moving-windows' ? KEPT + perThread : perThread * windows);
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

export function mergeKernels(gpu: Gpu, spec: FixedKeySpec, tuning: MergePathTuning): MergeKernels {
  const { threads, perThread, search, kernel, windows, launchGroups, groups } = tuning;
  const share = shareElements(tuning);
  const limits = { groups, leastShare: share, mostShare: MOST_ALONE, launchElements: launchGroups * share };
  const moves = kernel === 'moving-windows';
  const consts = moves
    ? { THREADS: threads, B_PER_THREAD: perThread }
    : { THREADS: threads, PER_THREAD: perThread, WINDOWS: windows };
  const four = kernel === 'merge-four';
  const found = four ? 'four' : search;
  return {
    ways: four ? 4 : 2,
    share,
    launchGroups,
    search: {
      // Input positions depend only on keys.
      kernel: new Kernel(gpu, `keys/merge-path/search-${found}`, keyConstants({ ...spec, values: false })),
      shares: four ? 64 : SEARCH_SHARES[search],
    },
    windows: moves ? limits : null,
    merge: new Kernel(gpu, `keys/merge-path/${kernel}`, keyConstants(spec, consts)),
  };
}

/** Compiles the kernels of merge passes. */
export function loadMerge({ search, merge }: MergeKernels): Promise<unknown> {
  return Promise.all([merge.load(), search.kernel.load()]);
}
