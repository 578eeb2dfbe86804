/**
 * Assembles the GPU engine from its stages; the caller supplies the sort. Implements the contract of
 * src/contract/engine.ts.
 */

import type { Engine } from '../../../contract/engine.js';
import { areSorted } from '../../../runs/buckets.js';
import { internalError } from '../../../system/errors.js';
import { quiet } from '../../../system/promises.js';
import type { Gpu } from '../device/device.js';
import { DevicePool } from '../device/pool.js';
import { watchDevice } from '../device/timer.js';
import { loadGather } from '../records/gather.js';
import { loadInputHash } from '../records/input-hash.js';
import { loadKeyedLines } from '../records/keyed-lines/keyed-lines.js';
import { loadRecode, Recoder } from '../records/recode.js';
import { loadTokenize } from '../records/tokenize.js';
import { Chunks } from './chunks.js';
import { DeviceDeflater } from './deflater.js';
import { COMPRESSED_BUFFERS, ReadRing, readBlockBytes } from './emit.js';
import { DeviceInflater, loadInflater } from './inflater.js';
import { mergeSlices } from './merge-slices.js';
import { type DeviceSizes, deviceSizesOf, type GpuEngineOptions } from './options.js';
import { Questions } from './questions.js';
import { Residency } from './residency.js';
import type { SortStage, Stages } from './stages.js';
import { UploadRing } from './upload.js';

/** For tests: a limit far below the default, so that small inputs reach it. */
export interface GpuEngineLimits {
  /** Bytes of a block of output. */
  readonly blockBytes?: number;
}

/** Bytes of a binding that text cannot use: its padding (textBufferBytes). */
const TEXT_PADDING = 32;
/** Merged ranges that may wait to be written. While the last ones are written, the memory of the runs is freed. */
const MERGES_AHEAD = 5;
/** The same if memory is bounded. With short lines, five merges took twice the requested memory, two took 1.5 times. */
const MERGES_AHEAD_BOUNDED = 2;
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
  const { recorder, deviceKeys = false, keyThreads = 0, verify = false, inflates = null } = options;
  let opened = 0;
  const endWatch = watchDevice(gpu, recorder);
  const sizes = deviceSizesOf(gpu, options, gpu.maxBindingBytes - TEXT_PADDING);
  const { textBytes, chunkBytes, pieceBytes } = sizes;
  const stages = makeStages(gpu, options, sort, sizes, limits.blockBytes ?? readBlockBytes(chunkBytes));
  const kernels = startLoading(gpu, options, stages);
  const chunks = new Chunks(stages, { chunkBytes, pieceBytes, deviceKeys, keyThreads, verify });
  /** Called for each chunk: the kernels that sort it. */
  const nextChunk = (): Promise<unknown> => {
    if (++opened === 2) void kernels.merging();
    return kernels.sorting;
  };
  const inflater = inflates && new DeviceInflater(stages, chunks, { ...sizes, ...inflates, ...kernels, nextChunk });

  return {
    name: 'gpu',
    ...(inflater && { inflater }),
    ...(verify && { input: () => chunks.input() }),
    chunkBytes,
    mergeBytes: textBytes,
    pieceBytes,
    rangeBytes: Math.min(textBytes, options.rangeBytes),
    lanes: chunks.lanes,
    shared: null,
    mergesAhead: options.mostRecords === null ? MERGES_AHEAD : MERGES_AHEAD_BOUNDED,
    openChunk: async (expectedBytes = 0) => {
      void nextChunk();
      return chunks.open(expectedBytes);
    },
    order: async (chunk, bytes) => {
      await kernels.sorting;
      return chunks.order(chunk, bytes);
    },
    merge: async (slices, commonPrefix, form = 'plain') => {
      if (!areSorted(slices)) throw internalError('this engine distributes no runs');
      await kernels.merging();
      return mergeSlices(stages, slices, commonPrefix, form);
    },
    trim: () => {
      stages.uploads.close();
      return stages.pool.destroyOne();
    },
    close: async () => {
      await endWatch();
      inflater?.close();
      await closeStages(stages, chunks);
    },
  };
}

/** The kernels of an engine while they compile. */
interface Loading {
  /** The kernels that inflate. */
  readonly inflating: Promise<unknown> | null;
  /** The kernels for chunks. */
  readonly sorting: Promise<unknown>;
  /** Compiles the kernels for merges, if no earlier call did. */
  merging(): Promise<unknown>;
}

function startLoading(
  gpu: Gpu,
  { ordering, recorder, deviceKeys = false, verify = false, inflates = null }: GpuEngineOptions,
  { sort, deflater }: Pick<Stages, 'sort' | 'deflater'>,
): Loading {
  // First, because they are needed first.
  const inflating = inflates && loadInflater(gpu, { format: ordering.format, source: inflates.source });
  const common = Promise.all([loadTokenize(gpu, ordering.format), loadGather(gpu, ordering)]);
  const sorting = Promise.all([
    common,
    deviceKeys ? loadKeyedLines(gpu, ordering) : null,
    ordering.encoding === undefined ? null : loadRecode(gpu, ordering.encoding),
    verify ? loadInputHash(gpu, ordering.format) : null,
    sort.load(gpu, ordering),
    recorder.keepsSpans ? sort.loadStatistics?.(gpu, ordering) : null,
  ]);
  // The first stretch, or the first `order`, reports a failure.
  quiet(inflating);
  quiet(sorting);
  let merging: Promise<unknown> | null = null;
  return {
    inflating,
    sorting,
    merging: () => {
      if (merging === null) {
        merging = Promise.all([common, sort.loadMerge(gpu, ordering), deflater?.load(gpu)]);
        // The first `merge` reports a failure.
        quiet(merging);
      }
      return merging;
    },
  };
}

function makeStages(
  gpu: Gpu,
  { ordering, recorder, limit = null, residentBytes, deflateLevel = null }: GpuEngineOptions,
  sort: SortStage,
  { textBytes, recordLimit, chunkBytes, pieceBytes }: DeviceSizes,
  blockBytes: number,
): Stages {
  const pool = new DevicePool(gpu);
  const reads = new ReadRing(gpu, recorder, blockBytes, deflateLevel === null ? undefined : COMPRESSED_BUFFERS);
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
    reads,
    deflater: deflateLevel === null ? null : new DeviceDeflater(pool, reads, deflateLevel),
    residency: new Residency(pool, residentBytes),
    questions: new Questions(gpu, pool),
    recordLimit,
  };
}

async function closeStages({ uploads, reads, recoder, deflater, pool }: Stages, chunks: Chunks): Promise<void> {
  uploads.close();
  reads.close();
  recoder?.close();
  await Promise.all([chunks.close(), deflater?.close()]);
  pool.destroyIdle();
}
