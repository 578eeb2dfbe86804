/** The string merge sort and merges of slices, with the sizes that a test chooses. */
import {
  loadOrder,
  ORDER_TUNING,
  type OrderTuning,
  orderRecords,
} from '../../../../../src/engines/gpu/strings/string-merge/order.js';
import type { StringSort } from '../string-sorts.js';

/** Tiles so small that few records make many merges. */
export const SMALL: OrderTuning = { ...ORDER_TUNING, tile: 64 };
/** Merges compare so few bytes that refinement does most of the work. With 4-byte prefixes they still read the text. */
export const SHORT: OrderTuning = { ...SMALL, tieBytes: [8, 8, 16] };

export function mergesBy(tuning: OrderTuning, slices: readonly number[] | null = null): StringSort {
  return async (gpu, pool, records, ordering, commonPrefix) => {
    await loadOrder(gpu, ordering, tuning);
    return orderRecords(gpu, pool, records, ordering, { slices, commonPrefix, tuning });
  };
}
