/**
 * The GPU engine put together from its stages, the sort itself given from outside. Keeps the contract of src/engine.ts.
 */
import type { Engine } from '../../engine.js';
import type { Limit, Ordering } from '../../job.js';
import { longestLine, mostKeyed } from '../../keys/bounds.js';
import type { Recorder } from '../../report/stats.js';
import type { Gpu } from '../device/device.js';
import { readBlockBytes, ReadRing } from './emit.js';
import { loadGather } from '../records/gather.js';
import { Chunks } from './chunks.js';
import { loadKeyedLines } from '../keyed-lines/keyed-lines.js';
import { mergeSlices } from './merge-slices.js';
import { BufferPool } from '../device/pool.js';
import { Questions } from './questions.js';
import { Residency } from './residency.js';
import type { SortStage } from '../order-stage.js';
import type { Stages } from './stages.js';
import { PassTimer } from '../device/timer.js';
import { loadTokenize } from '../records/tokenize.js';
import { loadInputHash } from '../verify/input-hash.js';
import { UploadRing } from './upload.js';

export interface GpuEngineOptions {
  readonly ordering: Ordering;
  /** Which records are wanted in all: of chunks others may be left out, and of merges what comes behind the first ones. Null or absent: all are. */
  readonly limit?: Limit | null;
  /** Most bytes of text read into one chunk; taken down to what the device can bind, with keys where there are any. */
  readonly chunkBytes: number;
  /** Most bytes of text, with keys, sorted or merged at once, taken down likewise; absent: what one line of chunkBytes can become by its key. */
  readonly mergeBytes?: number;
  /** Bytes of an upload buffer; taken to a multiple of 256. */
  readonly pieceBytes: number;
  /** Bytes of text that one merge is given. */
  readonly rangeBytes: number;
  /** Most records sorted at once; null: as many as the device can bind. */
  readonly mostRecords: number | null;
  /** Whether keys are made by the device, where lines have any: which has to know their orders (src/keys/device-keys.ts). Absent: by the host. */
  readonly deviceKeys?: boolean;
  /** Threads that make keys on the host; absent: none but the calling one. */
  readonly keyThreads?: number;
  /** Most bytes of device memory that runs may keep; null: as long as there is memory for the work as well. */
  readonly residentBytes: number | null;
  /** Whether the engine hashes what it is given to order. */
  readonly verify?: boolean;
  readonly recorder: Recorder;
}

/** For tests: a limit far below the usual, so that small inputs meet it. */
export interface GpuEngineLimits {
  /** Bytes of a block of output. */
  readonly blockBytes?: number;
}

/** What text may not reach of a binding: its padding (textBufferBytes). */
const TEXT_PADDING = 32;
/** Numbers of bytes are u32 in kernels, and tiles may reach past the end. */
const MOST_TEXT_BYTES = 2 ** 32 - 2 ** 16;
/** When the last range is merged, this many are still to be written: while they are, the runs' memory is given back. */
const MERGES_AHEAD = 5;
/** Where memory is bounded: five merges of short lines at once took twice as much as was asked for, two take 1.5 times. */
const MERGES_AHEAD_BOUNDED = 2;
/** Bytes of a record in the widest array that a sort binds: an item of the list of ties, on which all may be. */
const WIDEST_RECORD_ITEM = 16;
/** Sorts number records in 28 bits. */
const MOST_RECORDS = 2 ** 28 - 1;

/**
 * An engine on `gpu` (which stays the caller's to close) that sorts with `sort`. What a first chunk needs is compiled while that
 * chunk is read; what merges need as soon as a second chunk is asked for, behind what the first one waits for.
 */
export function assembleGpuEngine(gpu: Gpu, options: GpuEngineOptions, sort: SortStage, limits: GpuEngineLimits = {}): Engine {
  const { ordering, recorder, deviceKeys = false, verify = false } = options;
  const common = Promise.all([loadTokenize(gpu, ordering.format), loadGather(gpu, ordering)]);
  const sorting = Promise.all([common, deviceKeys ? loadKeyedLines(gpu, ordering) : null, verify ? loadInputHash(gpu) : null, sort.load(gpu, ordering),
    recorder.keepsSpans ? sort.loadStatistics?.(gpu, ordering) : null]);
  let merging: Promise<unknown> | null = null;
  const loadMerging = (): Promise<unknown> => {
    if (merging === null) {
      merging = Promise.all([common, sort.loadMerge(gpu, ordering)]);
      merging.catch(() => { /* told by the first merge */ });
    }
    return merging;
  };
  sorting.catch(() => { /* told by the first order */ });
  let opened = 0;
  gpu.timer = recorder.keepsSpans && gpu.device.features.has('timestamp-query') ? new PassTimer(gpu) : null;
  const trafficBefore = { ...gpu.traffic };
  const textBytes = Math.min(options.mergeBytes ?? mostKeyed(ordering.key, options.chunkBytes), gpu.maxBindingBytes - TEXT_PADDING, MOST_TEXT_BYTES);
  const chunkBytes = Math.min(options.chunkBytes, longestLine(ordering.key, textBytes));
  const pieceBytes = Math.max(256, Math.floor(Math.min(options.pieceBytes, gpu.facts.maxBufferBytes) / 256) * 256);
  const pool = new BufferPool(gpu);
  const stages: Stages = {
    gpu, ordering, recorder, pool, sort, textBytes,
    limit: options.limit ?? null,
    uploads: new UploadRing(gpu, pieceBytes, chunkBytes, recorder),
    reads: new ReadRing(gpu, recorder, limits.blockBytes ?? readBlockBytes(chunkBytes)),
    residency: new Residency(pool, options.residentBytes),
    questions: new Questions(gpu, pool),
    recordLimit: Math.min(options.mostRecords ?? MOST_RECORDS, MOST_RECORDS, Math.floor(gpu.maxBindingBytes / WIDEST_RECORD_ITEM) - 1),
  };
  const chunks = new Chunks(stages, { chunkBytes, pieceBytes, deviceKeys, keyThreads: options.keyThreads ?? 0, verify });

  return {
    name: 'gpu',
    ...verify && { input: () => chunks.input() },
    chunkBytes,
    mergeBytes: textBytes,
    pieceBytes,
    rangeBytes: Math.min(textBytes, options.rangeBytes),
    lanes: chunks.lanes,
    shared: null,
    mergesAhead: options.mostRecords === null ? MERGES_AHEAD : MERGES_AHEAD_BOUNDED,
    openChunk: async (expectedBytes = 0) => {
      if (++opened === 2) void loadMerging();
      return chunks.open(expectedBytes);
    },
    order: async (chunk, bytes) => {
      await sorting;
      return chunks.order(chunk, bytes);
    },
    merge: async (slices, commonPrefix, form = 'output') => {
      await loadMerging();
      return mergeSlices(stages, slices, commonPrefix, form);
    },
    trim: () => {
      stages.uploads.close();
      return pool.destroyOne();
    },
    close: async () => {
      await gpu.timer?.finish(recorder);
      recorder.traffic({ sentBytes: gpu.traffic.sentBytes - trafficBefore.sentBytes, readBackBytes: gpu.traffic.readBackBytes - trafficBefore.readBackBytes });
      recorder.note(`${(gpu.taken.bytes / 1e9).toFixed(2)} GB of GPU buffers were allocated`);
      stages.uploads.close();
      stages.reads.close();
      await Promise.all([sort.close?.(), chunks.close()]);
      pool.destroyIdle();
    },
  };
}
