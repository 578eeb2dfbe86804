/**
 * Orders records: the string merge sort, or the merge of slices already in order, then refinement of long ties, then
 * `unique`. Knows nothing of files or runs: records in, record numbers out.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { TieStatistics } from '../../../../report/ties.js';
import type { Gpu } from '../../device/device.js';
import { type DevicePool, Scratch } from '../../device/pool.js';
import { evenPasses, partitionBytes, slicePasses } from '../../keys/merge-path/passes.js';
import type { Records } from '../../records/records.js';
import { DEEP_PASSES, DEEP_TIE_BYTES, KEY_BYTES, MERGE_TILE, SHALLOW_TIE_BYTES } from '../../thresholds.js';
import { type EntryWindows, type KeyRule, sortKernels, takeEntries } from '../entries.js';
import { loadDropEqual } from '../ties/drop-equal.js';
import { loadEntryTies, placeAndRefine, placedOrder, placementIn } from '../ties/entry-ties.js';
import { type EntrySort, entrySlicePasses, mergeEntries, tilePasses } from './merges.js';
import {
  loadStringMergeSort,
  loadTileSort,
  mergeSortEntries,
  prefixEntries,
  sortEntries,
} from './string-merge-sort.js';
import { createTieCounter, loadTieStatistics } from './tie-statistics.js';

/** Parameters that affect speed but not results. */
export interface OrderTuning {
  /** Entries that a workgroup sorts: a power of two from 64 to 1,024. */
  readonly tile: number;
  /**
   * Bytes of a key: 8, or 4 as in the paper. Entries take 12 bytes in either case, because refinement rounds need
   * 8-byte keys for the group's number.
   */
  readonly prefixBytes: 4 | 8;
  /**
   * The number of ordered bytes that comparisons read: in the sort, then in each refinement round. The last value holds
   * for all later rounds. Null: chosen by the number of passes.
   */
  readonly tieBytes: readonly number[] | null;
  /** Merges by moving windows, as in the paper; null: by merge path. */
  readonly windows: EntryWindows | null;
}

export const ORDER_TUNING: OrderTuning = { tile: MERGE_TILE, prefixBytes: KEY_BYTES, tieBytes: null, windows: null };
/** As many workgroups as an H200's 132 multiprocessors hold, of 128 threads each. */
export const WINDOWS: EntryWindows = { groups: 2048 };

/*
 * If there are at most DEEP_PASSES merge passes, they settle ties themselves: a refinement round costs a dozen
 * dispatches and a read-back, which would not pay off. If there are more, refinement settles the ties at first:
 * otherwise each pass would read the text of all ties again, from random places. (On an H200 a merge sort by prefix and
 * text sorts 74 M URLs a second; one that refines ties after sorting prefixes, over 2,000 M.)
 */

interface OrderOptions {
  /** Record numbers [0, ..., count] between which records are already in order, to be merged; null: sort everything. */
  readonly slices: readonly number[] | null;
  /** Number of leading ordered bytes that all records are known to share. */
  readonly commonPrefix: number;
  readonly tuning?: OrderTuning;
  /** Called once with statistics of ties, unless there are no records. Requires loadOrderStatistics. */
  readonly statistics?: ((ties: TieStatistics) => void) | undefined;
}

/** Compiles everything that orderRecords needs. */
export function loadOrder(gpu: Gpu, ordering: Ordering, tuning: OrderTuning = ORDER_TUNING): Promise<unknown> {
  const kernels = sortKernels(gpu, ordering, tuning);
  return Promise.all([loadStringMergeSort(kernels), loadEntryTies(kernels), loadDropEqual(gpu)]);
}

/** Compiles what orderRecords also needs for statistics. */
export function loadOrderStatistics(
  gpu: Gpu,
  ordering: Ordering,
  tuning: OrderTuning = ORDER_TUNING,
): Promise<unknown> {
  const counting = sortKernels(gpu, ordering, { ...tuning, countReads: true });
  return Promise.all([loadTileSort(counting), loadTieStatistics(sortKernels(gpu, ordering, tuning))]);
}

/**
 * The record numbers in sorted order, as u32 in a buffer of the pool that the caller returns. Under `unique` only the
 * first of records with equal ordered bytes is kept. At most 2^28 - 1 records.
 */
export async function orderRecords(
  gpu: Gpu,
  pool: DevicePool,
  records: Records,
  ordering: Ordering,
  options: OrderOptions,
): Promise<{ order: GPUBuffer; count: number }> {
  const { count } = records;
  if (count === 0) return { order: await pool.take(16, 'order'), count };
  const tuning = options.tuning ?? ORDER_TUNING;
  const { tile, prefixBytes, tieBytes } = tuning;
  const { slices } = options;
  const kernels = sortKernels(gpu, ordering, tuning);
  const cut = { share: tile, ways: 2 } as const;
  const passCount = (slices === null ? evenPasses(count, tile, cut) : slicePasses(slices, cut)).length;
  const looks = tieBytes ?? (passCount > DEEP_PASSES ? SHALLOW_TIE_BYTES : DEEP_TIE_BYTES);
  const ties = (round: number): number => looks[Math.min(round, looks.length - 1)];
  const rule: KeyRule = {
    records,
    depth: options.commonPrefix,
    keyBytes: prefixBytes,
    tieBytes: Math.max(prefixBytes, ties(0)),
    depths: null,
  };
  const passes = slices === null ? tilePasses(count, kernels, rule) : entrySlicePasses(slices, kernels, rule);
  const scratch = new Scratch(pool);
  try {
    const [first, second] = [await takeEntries(scratch, count), await takeEntries(scratch, count)];
    const partitions = await scratch.take(partitionBytes(passes), 'merge partitions');
    prefixEntries(kernels, rule, first);
    const counter =
      options.statistics === undefined ? null : await createTieCounter(scratch, kernels, rule, passes, slices !== null);
    const merging = counter === null ? kernels : sortKernels(gpu, ordering, { ...tuning, countReads: true });
    const sort: EntrySort = { kernels: merging, rule, count, passes, partitions, reads: counter?.reads ?? null };
    const sorted =
      slices === null
        ? sortEntries(sort, first, second)
        : mergeEntries(sort, first, second, { stage: 'combine', label: 'merge slices' });
    scratch.drop(partitions);
    counter?.countRuns(sorted);
    const placement = await placementIn(await scratch.take(count * 4, 'order'), scratch, ordering, count);
    const refinement = { scratch, kernels, placement, tieBytes: ties, sort: mergeSortEntries(kernels) };
    const rounds = await placeAndRefine(refinement, rule, sorted, sorted === first ? second : first);
    if (counter !== null) options.statistics?.(await counter.finish(placement.order, rounds));
    return await placedOrder(scratch, placement, count);
  } finally {
    scratch.end();
  }
}
