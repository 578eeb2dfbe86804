/**
 * Assembles the GPU engine from its stages; the caller supplies the sort. Implements the contract of
 * src/contract/engine.ts.
 */

import type { Engine } from '../../../contract/engine.js';
import type { Limit } from '../../../job/job.js';
import type { Ordering } from '../../../job/ordering.js';
import { longestLine, mostKeyed } from '../../../keys/keyed.js';
import type { Recorder } from '../../../report/recorder.js';
import { areInOrder } from '../../../runs/buckets.js';
import { internalError } from '../../../system/errors.js';
import type { Gpu } from '../device/device.js';
import { DevicePool } from '../device/pool.js';
import { watchDevice } from '../device/timer.js';
import { loadGather } from '../records/gather.js';
import { loadInputHash } from '../records/input-hash.js';
import { loadKeyedLines } from '../records/keyed-lines/keyed-lines.js';
import { loadRecode, Recoder } from '../records/recode.js';
import { loadTokenize } from '../records/tokenize.js';
import { Chunks } from './chunks.js';
import { ReadRing, readBlockBytes } from './emit.js';
import { mergeSlices } from './merge-slices.js';
import { Questions } from './questions.js';
import { Residency } from './residency.js';
import type { SortStage, Stages } from './stages.js';
import { UploadRing } from './upload.js';

export interface GpuEngineOptions {
  readonly ordering: Ordering;
  /**
   * The records that are wanted. Others may be left out of chunks; merges may leave out what comes after the first
   * ones. Null or absent: all records.
   */
  readonly limit?: Limit | null;
  /** Maximum bytes of text read into one chunk. Reduced to what the device can bind, including keys. */
  readonly chunkBytes: number;
  /**
   * Maximum bytes of text, including keys, sorted or merged at once. Reduced in the same way. Absent: the size that one
   * line of chunkBytes can reach with its key.
   */
  readonly mergeBytes?: number;
  /** Bytes of an upload buffer. Rounded down to a multiple of 256. */
  readonly pieceBytes: number;
  /** Bytes of text given to one merge. */
  readonly rangeBytes: number;
  /** Maximum records sorted at once; null: as many as the device can bind. */
  readonly mostRecords: number | null;
  /**
   * Whether the device makes the keys, which it must support (src/engines/gpu/records/keyed-lines/key-support.ts).
   * Absent: no.
   */
  readonly deviceKeys?: boolean;
  /** Host threads that make keys, or sort what the host holds; absent: only the calling thread. */
  readonly keyThreads?: number;
  /**
   * Maximum bytes that runs may keep of device memory, or of host memory if text stays there; null: as long as memory
   * for the work remains.
   */
  readonly residentBytes: number | null;
  /** Whether the engine hashes the records that it orders. */
  readonly verify?: boolean;
  readonly recorder: Recorder;
}

/** For tests: a limit far below the default, so that small inputs reach it. */
export interface GpuEngineLimits {
  /** Bytes of a block of output. */
  readonly blockBytes?: number;
}

/** Bytes of a binding that text cannot use: its padding (textBufferBytes). */
const TEXT_PADDING = 32;
/** Kernels number bytes in u32, and tiles may extend past the end of the text. */
const MOST_TEXT_BYTES = 2 ** 32 - 2 ** 16;
/** Merged ranges that may wait to be written. While the last ones are written, the memory of the runs is freed. */
const MERGES_AHEAD = 5;
/** The same if memory is bounded. With short lines, five merges took twice the requested memory, two took 1.5 times. */
const MERGES_AHEAD_BOUNDED = 2;
/** Bytes per record in the widest array that a sort binds: the list of tied records, which may hold all records. */
const WIDEST_RECORD_ITEM = 16;
/** Sorts number records in 28 bits. */
const MOST_RECORDS = 2 ** 28 - 1;

/**
 * An engine on `gpu` that sorts with `sort`; the caller closes `gpu`. The kernels for a first chunk compile while that
 * chunk is read. The kernels for merges compile when a second chunk is requested, after those for the first one.
 */
export function assembleGpuEngine(
  gpu: Gpu,
  options: GpuEngineOptions,
  sort: SortStage,
  limits: GpuEngineLimits = {},
): Engine {
  const { recorder, deviceKeys = false, keyThreads = 0, residentBytes, verify = false } = options;
  const kernels = startLoading(gpu, options, sort);
  let opened = 0;
  const endWatch = watchDevice(gpu, recorder);
  const sizes = sizesOf(gpu, options, sort.hostOrder !== undefined);
  const { textBytes, chunkBytes, pieceBytes } = sizes;
  const stages = makeStages(gpu, options, sort, sizes, limits.blockBytes ?? readBlockBytes(chunkBytes));
  const chunks = new Chunks(stages, { chunkBytes, pieceBytes, deviceKeys, keyThreads, residentBytes, verify });

  return {
    name: 'gpu',
    ...(verify && { input: () => chunks.input() }),
    chunkBytes,
    mergeBytes: textBytes,
    pieceBytes,
    rangeBytes: Math.min(textBytes, options.rangeBytes),
    lanes: chunks.lanes,
    shared: chunks.shared,
    mergesAhead: options.mostRecords === null ? MERGES_AHEAD : MERGES_AHEAD_BOUNDED,
    openChunk: async (expectedBytes = 0) => {
      if (++opened === 2) void kernels.merging();
      return chunks.open(expectedBytes);
    },
    order: async (chunk, bytes) => {
      await kernels.sorting;
      return chunks.order(chunk, bytes);
    },
    merge: async (slices, commonPrefix, form = 'plain') => {
      if (!areInOrder(slices)) throw internalError('this engine distributes no runs');
      if (chunks.shared !== null) throw internalError('this engine merges no runs in host memory');
      await kernels.merging();
      return mergeSlices(stages, slices, commonPrefix, form);
    },
    trim: () => {
      stages.uploads.close();
      return stages.pool.destroyOne();
    },
    close: async () => {
      await endWatch();
      await closeStages(stages, chunks);
    },
  };
}

/** The kernels of an engine, as they are compiled. */
interface Loading {
  /** Those for chunks. */
  readonly sorting: Promise<unknown>;
  /** Starts compiling those for merges, or waits for them. */
  merging(): Promise<unknown>;
}

function startLoading(
  gpu: Gpu,
  { ordering, recorder, deviceKeys = false, verify = false }: GpuEngineOptions,
  sort: SortStage,
): Loading {
  const onHost = sort.hostOrder !== undefined;
  const common = onHost ? null : Promise.all([loadTokenize(gpu, ordering.format), loadGather(gpu, ordering)]);
  const sorting = Promise.all([
    common,
    deviceKeys && !onHost ? loadKeyedLines(gpu, ordering) : null,
    ordering.encoding === undefined ? null : loadRecode(gpu, ordering.encoding),
    verify && !onHost ? loadInputHash(gpu, ordering.format) : null,
    sort.load(gpu, ordering),
    recorder.keepsSpans ? sort.loadStatistics?.(gpu, ordering) : null,
  ]);
  sorting.catch(() => {
    /* the first order reports it */
  });
  let merging: Promise<unknown> | null = null;
  return {
    sorting,
    merging: () => {
      if (merging === null) {
        merging = Promise.all([common, sort.loadMerge(gpu, ordering)]);
        merging.catch(() => {
          /* the first merge reports it */
        });
      }
      return merging;
    },
  };
}

/** What one chunk, piece and sort may hold. */
interface Sizes {
  readonly recordLimit: number;
  readonly textBytes: number;
  readonly chunkBytes: number;
  readonly pieceBytes: number;
}

/** `onHost`: the text of chunks stays in host memory. */
function sizesOf(gpu: Gpu, options: GpuEngineOptions, onHost: boolean): Sizes {
  const { format, key } = options.ordering;
  const recordLimit = Math.min(
    options.mostRecords ?? MOST_RECORDS,
    MOST_RECORDS,
    Math.floor(gpu.maxBindingBytes / WIDEST_RECORD_ITEM) - 1,
  );
  const textBytes = Math.min(
    options.mergeBytes ?? mostKeyed(key, options.chunkBytes),
    onHost ? Infinity : gpu.maxBindingBytes - TEXT_PADDING,
    MOST_TEXT_BYTES,
    // Fixed records of a text are sorted all at once.
    format.kind === 'fixed' ? recordLimit * format.size : Infinity,
  );
  const mostPieceBytes = Math.min(options.pieceBytes, gpu.facts.maxBufferBytes);
  return {
    recordLimit,
    textBytes,
    chunkBytes: Math.min(options.chunkBytes, longestLine(key, textBytes)),
    pieceBytes: Math.max(256, Math.floor(mostPieceBytes / 256) * 256),
  };
}

function makeStages(
  gpu: Gpu,
  { ordering, recorder, limit = null, residentBytes }: GpuEngineOptions,
  sort: SortStage,
  { textBytes, recordLimit, chunkBytes, pieceBytes }: Sizes,
  blockBytes: number,
): Stages {
  const pool = new DevicePool(gpu);
  return {
    gpu,
    ordering,
    recorder,
    pool,
    sort,
    textBytes,
    recoder: ordering.encoding === undefined ? null : new Recoder(gpu, ordering.encoding),
    limit,
    uploads: new UploadRing(gpu, pieceBytes, chunkBytes, recorder),
    reads: new ReadRing(gpu, recorder, blockBytes),
    residency: new Residency(pool, residentBytes),
    questions: new Questions(gpu, pool),
    recordLimit,
  };
}

async function closeStages({ uploads, reads, recoder, pool }: Stages, chunks: Chunks): Promise<void> {
  uploads.close();
  reads.close();
  recoder?.close();
  await chunks.close();
  pool.destroyIdle();
}
