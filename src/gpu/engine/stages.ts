/**
 * What the parts of the GPU engine share, and the one path from counted text to sorted text. Knows nothing of chunks or slices.
 */
import type { Limit, Ordering } from '../../job.js';
import type { Recorder, Stage } from '../../report/stats.js';
import type { TieStatistics } from '../../report/ties.js';
import type { Gpu } from '../device/device.js';
import { DeviceSorted } from './sorted.js';
import type { ReadRing } from './emit.js';
import { gather } from '../records/gather.js';
import type { BufferPart } from '../device/part.js';
import type { SortStage } from '../order-stage.js';
import type { BufferPool, Scratch } from '../device/pool.js';
import type { Questions } from './questions.js';
import type { Residency } from './residency.js';
import type { Records } from '../records/records.js';
import { writeStarts, type Tokenized } from '../records/tokenize.js';
import type { UploadRing } from './upload.js';

export interface Stages {
  readonly gpu: Gpu;
  readonly ordering: Ordering;
  readonly limit: Limit | null;
  readonly recorder: Recorder;
  readonly pool: BufferPool;
  readonly uploads: UploadRing;
  readonly reads: ReadRing;
  readonly residency: Residency;
  readonly questions: Questions;
  readonly sort: SortStage;
  /** Most bytes of text that are sorted or merged at once: with their keys, where records have any. */
  readonly textBytes: number;
  /** Most records that one sort takes. */
  readonly recordLimit: number;
}

/** Parts of a text that are in order already. */
export interface Parts {
  /** Their bounds: the first is 0, the last the number of records. */
  readonly bounds: readonly number[];
  /** Ordered bytes that all records share. */
  readonly commonPrefix: number;
  /** Whether what comes of them has no keys any more. */
  readonly plain: boolean;
}

/** Record numbers between places at which a binding may begin: 256 bytes. */
const BINDING_RECORDS = 64;

/** The part of an order of `count` records that `limit` leaves; of the last ones it may be up to BINDING_RECORDS - 1 more. */
function orderLeft(order: GPUBuffer, count: number, limit: Limit | null): { order: BufferPart; count: number } {
  const most = limit?.count ?? Infinity;
  const from = limit?.end === 'last' ? Math.floor(Math.max(0, count - most) / BINDING_RECORDS) * BINDING_RECORDS : 0;
  const left = limit?.end === 'last' ? count - from : Math.min(count, most);
  return { order: { buffer: order, offset: from * 4, size: left * 4 }, count: left };
}

/** Sorts `count` records of a text from number `first` on, or merges those of `parts`. Records that the limit has no use for may be left out. */
export async function sortRecords(stages: Stages, scratch: Scratch, tokenized: Tokenized, first: number, count: number, parts: Parts | null): Promise<DeviceSorted> {
  stages.gpu.timer?.handles(Math.round(tokenized.textBytes * count / tokenized.count), 'tokenize');
  return sortStarted(stages, scratch, await writeStarts(stages.gpu, scratch, tokenized, first, count), count / tokenized.count, parts);
}

/** The same of records that are `share` of their text, 1: all of it. Their starts are used up. */
export async function sortStarted(stages: Stages, scratch: Scratch, records: Records, share: number, parts: Parts | null): Promise<DeviceSorted> {
  const { gpu, pool, ordering, limit } = stages;
  const { bounds: slices, commonPrefix, plain } = parts ?? { bounds: null, commonPrefix: 0, plain: false };
  gpu.timer?.handles(Math.round(records.textBytes * share), 'prefix', slices === null ? 'sort' : 'combine', 'gather');
  // Of sorts alone: merges would count the same records again.
  const counts = slices === null && stages.recorder.keepsSpans && stages.sort.loadStatistics !== undefined;
  const statistics = counts ? (ties: TieStatistics) => { stages.recorder.ties(ties); } : undefined;
  const sorted = await stages.sort.order(gpu, pool, records, ordering, { slices, commonPrefix, statistics });
  const order = scratch.add(sorted.order);
  // What is written again after a failure must be the same bytes however merges are cut: the last records of each would not be.
  const left = orderLeft(order, sorted.count, slices === null || limit?.end === 'first' ? limit : null);
  // Only where nothing is left out is the length of the result known.
  const bytes = share === 1 && left.count === records.count && !plain ? records.textBytes : null;
  const result = await gather(gpu, scratch, records, left.order, left.count, bytes, { without: plain ? ordering : null, from: null });
  scratch.drop(order);
  scratch.drop(records.starts);
  return sortedText(stages, scratch, result);
}

/** What was gathered, taken out of `scratch`. */
export function sortedText(stages: Stages, scratch: Scratch, result: Records): DeviceSorted {
  scratch.keep(result.text);
  scratch.keep(result.starts);
  return new DeviceSorted(stages, result);
}

/** Records a span that ends when the device has done what is submitted by now, unless its passes are timed one by one. */
export function spanOnDevice(stages: Stages, stage: Stage, start: number, bytes: number): void {
  if (!stages.recorder.keepsSpans || stages.gpu.timer !== null) return;
  stages.gpu.device.queue.onSubmittedWorkDone().then(() => { stages.recorder.span(stage, start, bytes); }, () => { /* the device is lost: told elsewhere */ });
}
