/**
 * MSD radix string sort. Bytes that occur are numbered, so that a symbol takes few bits (DNA 2, lowercase 5); what all
 * records share is skipped (symbols.ts). Entries hold each record's first symbols, packed into 64 bits, and its number.
 * They are split digit by digit, most significant first (entries.ts). Records that are equal in all packed symbols and
 * continue are refined by the same splits. Aleksandr Drozd, Satoshi Matsuoka: MSD Radix String Sort on GPU: Longer
 * Keys, Shorter Alphabets; packed-prefixes.ts is their hybrid, whose remainder the host sorts.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { Gpu } from '../../device/device.js';
import { readBack } from '../../device/dispatch.js';
import { type DevicePool, Scratch } from '../../device/pool.js';
import type { Records } from '../../records/records.js';
import { MERGE_TILE, SPLIT_TIES } from '../../thresholds.js';
import { type KeyRule, type OrderStage, type SortKernels, sortKernels, takeEntries } from '../entries.js';
import { loadOrder, type OrderOptions, orderRecords } from '../string-merge/order.js';
import { loadStringMergeSort, mergeSortEntries } from '../string-merge/string-merge-sort.js';
import { loadEntryTies, placeAndRefine, placedOrder, placementIn, type SortEntries } from '../ties/entry-ties.js';
import {
  countersBytes,
  loadSplit,
  SPLIT_TUNING,
  type SplitKernels,
  type SplitTuning,
  splitEntries,
  splitKernels,
} from './entries.js';
import { longCode } from './pack-symbols.js';
import { loadSymbols, packingOf, packRecords } from './symbols.js';

/** Parameters that affect speed but not results. */
export interface MsdTuning extends SplitTuning {
  /** Entries per workgroup of the string merge sort, which refines few records; see OrderTuning. */
  readonly mergeTile: number;
  /** Minimum records of a refinement round that splits; rounds with fewer merge. */
  readonly splitTies: number;
  /** Maximum number of refinement rounds that split. Later ones merge and compare more and more bytes of the text. */
  readonly splitRounds: number;
}

const MSD_TUNING: MsdTuning = {
  ...SPLIT_TUNING,
  mergeTile: MERGE_TILE,
  splitTies: SPLIT_TIES,
  splitRounds: 6,
};

/**
 * Bytes that merges compare in rounds 1, 2, ...; the last value holds for all later rounds. Few at first, when there
 * are many ties.
 */
const MERGE_TIE_BYTES = [8, 16, 32, 64, 256];

/** The sort for the engine. The string merge sort merges slices that are already in order. */
export function msdRadix(tuning: Partial<MsdTuning> = {}): OrderStage {
  const all = { ...MSD_TUNING, ...tuning };
  return {
    load: (gpu, ordering) => {
      const split = splitKernels(gpu, all);
      const kernels = sortKernels(gpu, ordering, { tile: all.mergeTile });
      return Promise.all([
        loadSymbols(gpu, ordering, split),
        loadSplit(split),
        loadStringMergeSort(kernels),
        loadEntryTies(kernels),
        loadOrder(gpu, ordering),
      ]);
    },
    order: (gpu, pool, records, ordering, options) =>
      options.slices === null
        ? orderByMsdRadix(gpu, pool, records, ordering, { ...options, tuning: all })
        : orderRecords(gpu, pool, records, ordering, options),
  };
}

async function orderByMsdRadix(
  gpu: Gpu,
  pool: DevicePool,
  records: Records,
  ordering: Ordering,
  { commonPrefix, tuning }: Pick<OrderOptions, 'commonPrefix'> & { readonly tuning: MsdTuning },
): Promise<{ order: GPUBuffer; count: number }> {
  const { count } = records;
  if (count === 0) return { order: await pool.take(16, 'order'), count };
  const split = splitKernels(gpu, tuning);
  const scratch = new Scratch(pool);
  try {
    const [entries, other] = [await takeEntries(scratch, count), await takeEntries(scratch, count)];
    const counters = await scratch.take(countersBytes(split, count), 'bucket counters');
    const packing = await packRecords(scratch, ordering, split, { records, commonPrefix }, { entries, counters });
    const order = await scratch.take(count * 4, 'order');
    const { unresolved } = await splitEntries(scratch, split, entries, other, {
      count,
      long: longCode(ordering.reverse),
      order,
      counted: { counters, packing },
      symbolBits: null,
    });
    scratch.drop(counters);
    if (!unresolved && !ordering.unique) return { order: scratch.keep(order), count };

    const { base, symbols } = packingOf(new Uint32Array((await readBack(gpu, packing, 0, 16)).buffer));
    // The settled bytes end `symbols` bytes after `base`, as if keys were the last 8 of them. A negative depth works,
    // because kernels count modulo 2^32.
    const rule: KeyRule = { records, depth: (base + symbols - 8) >>> 0, keyBytes: 8, tieBytes: 8, depths: null };
    const kernels = sortKernels(gpu, ordering, { tile: tuning.mergeTile });
    const sort = refinementSort(split, kernels, ordering);
    const tieBytes = (round: number, ties: number): number => bytesOfRound(tuning, round, ties);
    const placement = await placementIn(order, scratch, ordering, count);
    await placeAndRefine({ scratch, kernels, placement, tieBytes, sort }, rule, entries, other);
    return await placedOrder(scratch, placement, count);
  } finally {
    scratch.end();
  }
}

/** The bytes that comparisons of a refinement round with `ties` records read; 0: none, the round splits. */
function bytesOfRound({ splitTies, splitRounds }: MsdTuning, round: number, ties: number): number {
  const most = MERGE_TIE_BYTES.length - 1;
  // Few merge passes can settle all ties at once.
  if (ties < splitTies) return MERGE_TIE_BYTES[most];
  return round <= splitRounds ? 0 : MERGE_TIE_BYTES[Math.min(round - 1, most)];
}

/** Sorts (group, next bytes) by splits, since groups are long runs with equal first digits, or by merges. */
function refinementSort(split: SplitKernels, kernels: SortKernels, ordering: Ordering): SortEntries {
  const mergeSort = mergeSortEntries(kernels);
  const long = longCode(ordering.reverse);
  return async (scratch, rule, from, spare, count) => {
    if (rule.tieBytes > rule.keyBytes) return mergeSort(scratch, rule, from, spare, count);
    await splitEntries(scratch, split, from, spare, { count, long, order: null, counted: null, symbolBits: null });
    return from;
  };
}
