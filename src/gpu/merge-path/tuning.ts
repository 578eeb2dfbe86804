/**
 * How merges of fixed keys are launched: sizes of workgroups and tiles, and which variant of each step. Knows no buffers.
 */
import type { Gpu } from '../device.js';
import { keyConstants, keyWords, type KeySpec } from '../keys.js';
import type { KernelConstants } from '../kernels.js';

/**
 * How an output tile finds where its inputs begin (Green, McColl, Bader 2012, section 2.2): one thread by binary search; a workgroup
 * comparing neighbouring points in each step of one; a workgroup dividing what is left of the diagonal into as many parts as it has threads.
 */
export type DiagonalSearch = 'binary' | 'wide' | 'parts';

export interface MergeTuning {
  /** A workgroup, at most 256. */
  readonly threads: number;
  /** Keys a thread makes of the output, at most 32. Odd numbers spare workgroup memory conflicts between threads that move on in step. */
  readonly perThread: number;
  readonly search: DiagonalSearch;
  /** For keys of several words: compares 32 bits behind those that all keys of a window share (kernels/merge-path/merge-narrow.wgsl). */
  readonly narrow: boolean;
  /** Tiles a launch, so that it ends soon enough for a small GPU's watchdog. */
  readonly launchTiles: number;
}

/** All are taken for what they cost at run lengths of 2^12 to 2^26; to be set by measurement. */
const SEARCH: DiagonalSearch = 'binary';
const NARROW = false;
const THREADS = 256;
const MOST_PER_THREAD = 17;
/** Workgroup memory beyond this keeps too few workgroups on a processor at once (an H200's has 228 KiB and room for 2,048 threads). */
const MOST_BYTES = 40 * 1024;
/** Words moved a launch, each read and written: 43 ms at 50 GB/s. */
const LAUNCH_WORDS = 2 ** 28;
/** A thread's path in workgroup memory. */
const PATH_BYTES = 8;

/** The tuning for a device, with what is asked for in place of the rest. */
export function mergeTuning(gpu: Gpu, spec: KeySpec, asked: Partial<MergeTuning> = {}): MergeTuning {
  const words = keyWords(spec);
  const { threads = THREADS, search = SEARCH } = asked;
  const narrow = words > 1 && (asked.narrow ?? NARROW);
  const room = Math.min(gpu.workgroupBytes, MOST_BYTES) / threads - PATH_BYTES;
  const fitting = Math.min(MOST_PER_THREAD, Math.floor(room / (narrow ? 4 : 4 * words)));
  const perThread = asked.perThread ?? fitting - (1 - fitting % 2);
  const launchTiles = asked.launchTiles ?? Math.max(1, Math.floor(LAUNCH_WORDS / (words + Number(spec.values)) / (threads * perThread)));
  return { threads, perThread, search, narrow, launchTiles };
}

/** The kernels of a merge pass and what they are compiled with. */
export interface MergeKernels {
  readonly tile: number;
  readonly launchTiles: number;
  readonly search: { readonly name: string; readonly constants: KernelConstants; readonly tilesPerWorkgroup: number };
  readonly merge: { readonly name: string; readonly constants: KernelConstants };
}

/** Tiles a workgroup of each search handles. */
const SEARCHES: Readonly<Record<DiagonalSearch, number>> = { binary: 64, wide: 1, parts: 1 };

export function mergeKernels(spec: KeySpec, tuning: MergeTuning): MergeKernels {
  const { threads, perThread, search, narrow, launchTiles } = tuning;
  return {
    tile: threads * perThread,
    launchTiles,
    // Where inputs begin is found from keys alone.
    search: { name: `merge-path/search-${search}`, constants: keyConstants({ ...spec, values: false }), tilesPerWorkgroup: SEARCHES[search] },
    merge: { name: narrow ? 'merge-path/merge-narrow' : 'merge-path/merge', constants: keyConstants(spec, { THREADS: threads, PER_THREAD: perThread }) },
  };
}

/** Compiles the kernels of a merge pass. */
export function loadMerge(gpu: Gpu, { search, merge }: MergeKernels): Promise<unknown> {
  return Promise.all([gpu.kernels.load(search.name, search.constants), gpu.kernels.load(merge.name, merge.constants)]);
}
