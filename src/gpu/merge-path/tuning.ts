/**
 * How merges of fixed keys are launched: sizes of workgroups and tiles, and which variant of each step. Knows no buffers.
 */
import type { Gpu } from '../device/device.js';
import { keyConstants, keyWords, type KeySpec } from '../keys.js';
import type { KernelConstants } from '../kernels.js';

/**
 * How a workgroup's share of the output finds where its inputs begin (Green, McColl, Bader 2012, section 2.2): one thread by binary
 * search; a workgroup comparing neighbouring points in each step of one; a workgroup dividing what is left of the diagonal into as many
 * parts as it has threads.
 */
export type DiagonalSearch = 'binary' | 'wide' | 'parts';

/**
 * How tiles are made: each by a workgroup of its own; as that, comparing 32 bits behind those that all keys of a window share (for keys of
 * several words); several by a workgroup whose window moves on.
 */
export type MergeKernel = 'merge' | 'merge-narrow' | 'merge-windows';

export interface MergeTuning {
  /** A workgroup, at most 256. */
  readonly threads: number;
  /** Keys a thread makes of a tile of output, at most 32. Odd numbers spare workgroup memory conflicts between threads that move on in step. */
  readonly perThread: number;
  readonly search: DiagonalSearch;
  readonly kernel: MergeKernel;
  /** Tiles a workgroup makes; 1 but for merge-windows. */
  readonly windows: number;
  /** Workgroups a launch, so that it ends soon enough for a small GPU's watchdog. */
  readonly launchGroups: number;
}

/**
 * On an H200 (2^27 u32 pairs, tiles of 256 x 7) a sort takes 18.2 ms with the binary search, 19.7 with the wide one, 19.8 with parts: the search is 3 % of it.
 */
const SEARCH: DiagonalSearch = 'binary';
/** Of keys of one word it is `merge`. On an H200 2^27 u64 pairs take 27.6 ms with merge-narrow, 31.6 with merge; 2^26 u128 pairs 22.1 and 38.9; merge-windows takes a fifth more. */
const KERNEL: MergeKernel = 'merge-narrow';
const WINDOWS = 8;
const THREADS = 256;
/** On an H200 a sort of 2^27 u32 pairs takes 17.6 ms with 5, 18.2 with 7, 18.5 with 9, 25.4 with 15; of u32 keys 12.4, 11.9, 11.3, 13.2. */
const MOST_PER_THREAD = 7;
/** Workgroup memory beyond this keeps too few workgroups on a processor at once (an H200's has 228 KiB and room for 2,048 threads). */
const MOST_BYTES = 40 * 1024;
/** Words moved a launch, each read and written: 64 ms at 50 GB/s. */
const LAUNCH_WORDS = 3 * 2 ** 27;
/** A thread's path in workgroup memory. */
const PATH_BYTES = 8;

/** The tuning for a device, with what is asked for in place of the rest. */
export function mergeTuning(gpu: Gpu, spec: KeySpec, asked: Partial<MergeTuning> = {}): MergeTuning {
  const words = keyWords(spec);
  const { threads = THREADS, search = SEARCH } = asked;
  let { kernel = KERNEL } = asked;
  // There is nothing to shift out of one word.
  if (kernel === 'merge-narrow' && words === 1) kernel = 'merge';
  const windows = kernel === 'merge-windows' ? asked.windows ?? WINDOWS : 1;
  const perThread = asked.perThread ?? mostOdd((Math.min(gpu.workgroupBytes, MOST_BYTES) / threads - PATH_BYTES) / keyBytes(kernel, words));
  const launchGroups = asked.launchGroups ?? Math.max(1, Math.floor(LAUNCH_WORDS / (words + Number(spec.values)) / (threads * perThread * windows)));
  return { threads, perThread, search, kernel, windows, launchGroups };
}

/** Bytes of workgroup memory that a kernel needs for each key of a tile. */
function keyBytes(kernel: MergeKernel, words: number): number {
  if (kernel === 'merge-narrow') return 4;
  return kernel === 'merge-windows' ? 8 * words : 4 * words;
}

/** The greatest odd number up to `fitting` that is worth having. */
function mostOdd(fitting: number): number {
  const most = Math.min(MOST_PER_THREAD, Math.floor(fitting));
  return most - (1 - most % 2);
}

/** The kernels of a merge pass and what they are compiled with. */
export interface MergeKernels {
  /** Keys of the output a workgroup makes. */
  readonly share: number;
  readonly launchGroups: number;
  readonly search: { readonly name: string; readonly constants: KernelConstants; readonly shares: number };
  readonly merge: { readonly name: string; readonly constants: KernelConstants };
}

/** How many shares a workgroup of each search handles. */
const SEARCHES: Readonly<Record<DiagonalSearch, number>> = { binary: 64, wide: 1, parts: 1 };

export function mergeKernels(spec: KeySpec, tuning: MergeTuning): MergeKernels {
  const { threads, perThread, search, kernel, windows, launchGroups } = tuning;
  return {
    share: threads * perThread * windows,
    launchGroups,
    // Where inputs begin is found from keys alone.
    search: { name: `merge-path/search-${search}`, constants: keyConstants({ ...spec, values: false }), shares: SEARCHES[search] },
    merge: { name: `merge-path/${kernel}`, constants: keyConstants(spec, { THREADS: threads, PER_THREAD: perThread, WINDOWS: windows }) },
  };
}

/** Compiles the kernels of a merge pass. */
export function loadMerge(gpu: Gpu, { search, merge }: MergeKernels): Promise<unknown> {
  return Promise.all([gpu.kernels.load(search.name, search.constants), gpu.kernels.load(merge.name, merge.constants)]);
}
