/** What the CPU engine is opened with, and the sizes that follow from it. */

import type { CountingLimits } from '../../contract/engine.js';
import type { Limit } from '../../job/job.js';
import type { Ordering } from '../../job/ordering.js';
import { mostKeyed } from '../../keys/keyed.js';
import type { DistributionLimits, Splitters } from '../../keys/splitters.js';
import type { Recorder } from '../../report/recorder.js';
import type { StoredRecords } from './group.js';
import type { EngineThreads } from './worker.js';

export interface CpuEngineOptions {
  readonly ordering: Ordering;
  /**
   * The records of the whole sort to keep. A chunk may drop others; a merge may drop the records after the first ones
   * requested. Null or absent: all.
   */
  readonly limit?: Limit | null;
  /**
   * Splitters that distribute chunks into buckets, which are sorted separately. Null or absent: chunks are sorted and
   * merged.
   */
  readonly splitters?: Splitters | null;
  /** Maximum bytes of text of a chunk; below 4 GiB less a few bytes. */
  readonly chunkBytes: number;
  /** The intended bytes of text of a merge. */
  readonly rangeBytes: number;
  /** Whether slices may be out of order, as inputs of -m may: each goes through a merge, which throws OutOfOrder. */
  readonly mayBeUnsorted?: boolean;
  /** Bytes of the first chunks of inputs that are read sequentially; null or absent: chunkBytes. */
  readonly firstChunkBytes?: number | null;
  /**
   * Once one of these limits is passed, later chunks are sorted instead of distributed. Null or absent: all are
   * distributed.
   */
  readonly distributed?: DistributionLimits | null;
  /** The limits of each thread's table if records are counted (counting/). Null or absent: all are ordered. */
  readonly counting?: CountingLimits | null;
  /** The stored records that are sorted in groups (group.ts). Null or absent: there are only chunks of text. */
  readonly stored?: StoredRecords | null;
  /** Whether the engine hashes its input. */
  readonly verify?: boolean;
  /** See Engine. */
  readonly checksText?: boolean;
  /** Number of worker threads. */
  readonly workers: number;
  /** Whether the calling thread sorts too. Without workers it always does. */
  readonly helps?: boolean;
  /** Maximum bytes of resident runs; null: unlimited. */
  readonly residentBytes: number | null;
  readonly recorder: Recorder;
}

/**
 * Merges take up to this many chunks if these are smaller than the planned ranges: each merge costs a message and a cut
 * in each run. 250 MB with -S 16M took 6.2 s of processor time with merges of one chunk, 4.7 of two, 3.5 of four and
 * 2.8 of eight; the peak memory of the process was 110, 108, 113 and 121 MB.
 */
const MERGED_CHUNKS = 4;

/** Merges of groups vary in size, and cutting them once more would take longer. */
const SIZED_MARGIN = 3;

/** A bucket of up to this many times the planned size is sorted at once. */
const BUCKET_MARGIN = 4;

/** The threads that execute tasks. */
export function threadsOf({ workers, helps }: CpuEngineOptions): EngineThreads {
  return { workers, helps: workers === 0 || helps === true };
}

/** Properties derived from the options; see Engine. `keyedBytes`: the maximum size of a chunk with its keys. */
export interface Sizes {
  readonly lanes: number;
  readonly keyedBytes: number;
  readonly mergeBytes: number;
  readonly rangeBytes: number;
}

export function sizesOf({ ordering, workers, helps, chunkBytes, ...options }: CpuEngineOptions): Sizes {
  const keyedBytes = mostKeyed(ordering.key, chunkBytes);
  // Bucket sizes vary, and one or two tiles sort equally well.
  const mergeBytes = Math.max(
    (options.stored == null ? 1 : SIZED_MARGIN) * keyedBytes,
    Math.min(options.rangeBytes, MERGED_CHUNKS * keyedBytes),
    options.splitters ? Math.max(BUCKET_MARGIN * options.rangeBytes, options.distributed?.bucketBytes ?? 0) : 0,
  );
  return {
    lanes: lanesOf(workers, helps === true),
    keyedBytes,
    mergeBytes,
    rangeBytes: Math.min(options.rangeBytes, mergeBytes),
  };
}

/**
 * If the calling thread sorts, three per sorting thread: during its own task it starts neither tasks nor reads.
 * Otherwise one per worker, and half as many again for chunks being read and results being written while all threads
 * are busy. The oldest may take longer than the others.
 */
function lanesOf(workers: number, helps: boolean): number {
  if (workers === 0) return 1;
  return helps ? 3 * (workers + 1) : workers + Math.ceil(workers / 2);
}
