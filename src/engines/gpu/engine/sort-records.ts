/**
 * The one path from counted records to sorted text, for chunks and for merges of slices.
 */

import type { RecordForm } from '../../../contract/engine.js';
import type { Limit } from '../../../job/job.js';
import type { Ordering } from '../../../job/ordering.js';
import type { MergeStatistics } from '../../../report/merges.js';
import type { TieStatistics } from '../../../report/ties.js';
import type { BufferBinding } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { gather } from '../records/gather.js';
import { buffersOf, type HeldRecords, type Records } from '../records/records.js';
import { type Tokenized, writeStarts } from '../records/tokenize.js';
import { DeviceSorted } from './sorted.js';
import type { Stages } from './stages.js';

/** Slices of a text that are already in order. */
interface SortedSlices {
  /** Record numbers between which records are in order: the first is 0, the last the number of records. */
  readonly bounds: readonly number[];
  /** Number of leading ordered bytes that all records share. */
  readonly commonPrefix: number;
  /** How the records of the result are written. */
  readonly form: RecordForm;
}

/** Record numbers in 256 bytes, the alignment of binding offsets. */
const BINDING_RECORDS = 64;

/** Consecutive records of an order or of a text. */
export interface RecordSpan {
  readonly first: number;
  readonly count: number;
}

/**
 * The part of an order of `count` records that `limit` keeps. If it keeps the last ones, up to BINDING_RECORDS - 1 more
 * remain, because a binding must be aligned.
 */
function recordsLeft(count: number, limit: Limit | null): RecordSpan {
  const most = limit?.count ?? Infinity;
  if (limit?.end !== 'last') return { first: 0, count: Math.min(count, most) };
  const first = Math.floor(Math.max(0, count - most) / BINDING_RECORDS) * BINDING_RECORDS;
  return { first, count: count - first };
}

/** Gathers part of an order, then drops the order. `share`: see sortStarted. `form`: see gather. */
async function gatherOrder(
  scratch: Scratch,
  records: Records,
  order: GPUBuffer,
  { first, count }: RecordSpan,
  { share, ordering, form }: { readonly share: number; readonly ordering: Ordering; readonly form: RecordForm },
): Promise<Records> {
  // The length of the result is known only if nothing is left out.
  const bytes = share === 1 && count === records.count && form === 'run' ? records.textBytes : null;
  const part: BufferBinding = { buffer: order, offset: first * 4, size: count * 4 };
  const result = await gather(scratch, records, part, count, { bytes, ordering, form });
  scratch.drop(order);
  return result;
}

/** Writes part of the records that a sort holds in its own form, then drops its buffers. */
async function writeHeld(
  scratch: Scratch,
  { buffers, write }: HeldRecords,
  { first, count }: RecordSpan,
): Promise<Records> {
  for (const buffer of buffers) scratch.add(buffer);
  const result = await write(scratch, first, count);
  for (const buffer of buffers) scratch.drop(buffer);
  return result;
}

/**
 * Sorts part of the records of a text, or merges `slices`. Records that the limit
 * excludes may be omitted.
 */
export async function sortRecords(
  stages: Stages,
  scratch: Scratch,
  tokenized: Tokenized,
  { first, count }: RecordSpan,
  slices: SortedSlices | null,
): Promise<DeviceSorted> {
  stages.gpu.timer?.handles(Math.round((tokenized.textBytes * count) / tokenized.count), 'tokenize');
  return sortStarted(
    stages,
    scratch,
    await writeStarts(scratch, tokenized, first, count),
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
  const { bounds, commonPrefix, form } = slices ?? { bounds: null, commonPrefix: 0, form: 'run' as const };
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
  // A retry after a failure must write the same bytes, however merges are cut. Limiting each merge to its last records
  // would break that.
  const kept = recordsLeft(sorted.count, slices === null || limit?.end === 'first' ? limit : null);
  const result =
    'order' in sorted
      ? await gatherOrder(scratch, records, scratch.add(sorted.order), kept, {
          share,
          ordering,
          form,
        })
      : await writeHeld(scratch, sorted, kept);
  if (records.starts !== null) scratch.drop(records.starts);
  if (form === 'run' || stages.recoder === null) return deviceSorted(stages, scratch, result);
  const text = await stages.recoder.decode(scratch, result.text, 0, result.textBytes);
  scratch.drop(result.text);
  return deviceSorted(stages, scratch, { ...result, text });
}

/** A gathered result, whose buffers `scratch` no longer owns. */
export function deviceSorted(stages: Stages, scratch: Scratch, result: Records): DeviceSorted {
  for (const buffer of buffersOf(result)) scratch.keep(buffer);
  return new DeviceSorted(stages, result);
}
