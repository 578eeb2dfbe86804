/**
 * The one path from counted records to sorted text, for chunks and for merges of slices.
 */
import type { Limit } from '../../job.js';
import type { MergeStatistics } from '../../report/merges.js';
import type { TieStatistics } from '../../report/ties.js';
import type { BufferBinding } from '../device/binding.js';
import type { Scratch } from '../device/pool.js';
import { gather } from '../records/gather.js';
import type { Records } from '../records/records.js';
import { type Tokenized, writeStarts } from '../records/tokenize.js';
import { DeviceSorted } from './sorted.js';
import type { Stages } from './stages.js';

/** Slices of a text that are already in order. */
interface SortedSlices {
  /** Record numbers between which records are in order: the first is 0, the last the number of records. */
  readonly bounds: readonly number[];
  /** Number of leading ordered bytes that all records share. */
  readonly commonPrefix: number;
  /** Whether the result is written as records were read, without keys or encoding. */
  readonly plain: boolean;
}

/** Record numbers in 256 bytes, the alignment of binding offsets. */
const BINDING_RECORDS = 64;

/**
 * The part of an order of `count` records that `limit` keeps. If it keeps the last ones, up to BINDING_RECORDS - 1 more
 * remain, because a binding must be aligned.
 */
function orderLeft(order: GPUBuffer, count: number, limit: Limit | null): { order: BufferBinding; count: number } {
  const most = limit?.count ?? Infinity;
  const from = limit?.end === 'last' ? Math.floor(Math.max(0, count - most) / BINDING_RECORDS) * BINDING_RECORDS : 0;
  const left = limit?.end === 'last' ? count - from : Math.min(count, most);
  return { order: { buffer: order, offset: from * 4, size: left * 4 }, count: left };
}

/**
 * Sorts `count` records of a text from number `first` on, or merges `slices`. Records that the limit
 * excludes may be omitted.
 */
export async function sortRecords(
  stages: Stages,
  scratch: Scratch,
  tokenized: Tokenized,
  first: number,
  count: number,
  slices: SortedSlices | null,
): Promise<DeviceSorted> {
  stages.gpu.timer?.handles(Math.round((tokenized.textBytes * count) / tokenized.count), 'tokenize');
  return sortStarted(
    stages,
    scratch,
    await writeStarts(stages.gpu, scratch, tokenized, first, count),
    count / tokenized.count,
    slices,
  );
}

/**
 * Like sortRecords, for records with known starts. `share`: their fraction of the text, 1 for all. Drops the starts.
 */
export async function sortStarted(
  stages: Stages,
  scratch: Scratch,
  records: Records,
  share: number,
  slices: SortedSlices | null,
): Promise<DeviceSorted> {
  const { gpu, pool, ordering, limit } = stages;
  const { bounds, commonPrefix, plain } = slices ?? { bounds: null, commonPrefix: 0, plain: false };
  gpu.timer?.handles(Math.round(records.textBytes * share), 'prefix', slices === null ? 'sort' : 'combine', 'gather');
  // Only sorts are counted: merges would count the same records again.
  const counts = slices === null && stages.recorder.keepsSpans;
  const merges = counts ? (merged: MergeStatistics) => stages.recorder.merges(merged) : undefined;
  const statistics =
    counts && stages.sort.loadStatistics !== undefined
      ? (ties: TieStatistics) => {
          stages.recorder.ties(ties);
        }
      : undefined;
  const sorted = await stages.sort.order(gpu, pool, records, ordering, {
    slices: bounds,
    commonPrefix,
    statistics,
    merges,
  });
  const order = scratch.add(sorted.order);
  // A retry after a failure must write the same bytes, however merges are cut. Limiting each merge to its last records
  // would break that.
  const left = orderLeft(order, sorted.count, slices === null || limit?.end === 'first' ? limit : null);
  // The length of the result is known only if nothing is left out.
  const bytes = share === 1 && left.count === records.count && !plain ? records.textBytes : null;
  const result = await gather(gpu, scratch, records, left.order, left.count, bytes, {
    without: plain ? ordering : null,
    from: null,
  });
  scratch.drop(order);
  scratch.drop(records.starts);
  if (!plain || stages.recoder === null) return sortedText(stages, scratch, result);
  const text = await stages.recoder.decode(scratch, result.text, 0, result.textBytes);
  scratch.drop(result.text);
  return sortedText(stages, scratch, { ...result, text });
}

/** A gathered result, whose buffers `scratch` no longer owns. */
export function sortedText(stages: Stages, scratch: Scratch, result: Records): DeviceSorted {
  scratch.keep(result.text);
  scratch.keep(result.starts);
  return new DeviceSorted(stages, result);
}
