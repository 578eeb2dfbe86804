/**
 * The sorts of the GPU engine: one for each algorithm of --algorithm whose text goes to the device.
 */

import type { GpuAlgorithm, HYBRID_ALGORITHM, Tuning } from '../../../job/algorithm-table.js';
import type { Ordering } from '../../../job/ordering.js';
import type { KeySort } from '../keys/key-sort.js';
import { localitySort } from '../keys/locality-sort/locality-sort.js';
import { runMerge } from '../keys/merge-path/merge.js';
import { mergeSort } from '../keys/merge-sort/merge-sort.js';
import { quicksort } from '../keys/quicksort/quicksort.js';
import { RADIX_TUNING, radixSort } from '../keys/radix-sort/radix-sort.js';
import { loadSegmentSort, segmentSort } from '../segments/segment-sort.js';
import type { OrderStage } from '../strings/entries.js';
import { msdRadix } from '../strings/msd-radix/msd-radix.js';
import {
  loadRadixRefine,
  RADIX_REFINE_TUNING,
  type RadixRefineTuning,
  radixRefine,
} from '../strings/radix-refine/radix-refine.js';
import {
  loadOrder,
  loadOrderStatistics,
  ORDER_TUNING,
  type OrderTuning,
  orderRecords,
} from '../strings/string-merge/order.js';
import { fixedKeys } from './fixed-keys/fixed-keys.js';
import { keyForm } from './fixed-keys/form.js';
import type { SortStage } from './stages.js';
import { localityParameters, mergeParameters, orderParameters, radixParameters, splitParameters } from './tunings.js';

/** Sorts chunks with `sort`, and merges slices with `merging`: by default by merge path, reading ties from the text. */
function withMerges(sort: OrderStage, merging: OrderStage = STRING_MERGE): SortStage {
  return {
    load: (gpu, ordering) => sort.load(gpu, ordering),
    loadStatistics: sort.loadStatistics,
    loadMerge: (gpu, ordering) => merging.load(gpu, ordering),
    order: (gpu, pool, records, ordering, options) =>
      (options.slices === null ? sort : merging).order(gpu, pool, records, ordering, options),
  };
}

const stringMerge = (tuning: OrderTuning): OrderStage => ({
  load: (gpu, ordering) => loadOrder(gpu, ordering, tuning),
  loadStatistics: (gpu, ordering) => loadOrderStatistics(gpu, ordering, tuning),
  order: (gpu, pool, records, ordering, options) => orderRecords(gpu, pool, records, ordering, { ...options, tuning }),
});
const STRING_MERGE = stringMerge(ORDER_TUNING);
/** Sorts packed prefixes first, by the sort that `tuning` names, then refines ties. */
const refining = (tuning: RadixRefineTuning): OrderStage => ({
  load: (gpu, ordering) => loadRadixRefine(gpu, ordering, tuning),
  order: (gpu, pool, records, ordering, { commonPrefix, merges }) =>
    radixRefine(gpu, pool, records, ordering, { commonPrefix, tuning, merges }),
});
const SEGMENTED: OrderStage = {
  load: loadSegmentSort,
  order: (gpu, pool, records, ordering, { commonPrefix, merges }) =>
    segmentSort(gpu, pool, records, ordering, { commonPrefix, merges }),
};

/** A sort with the given tunings. */
type Tuned = (tunings: readonly Tuning[]) => SortStage;

const sortByRadix = (tunings: readonly Tuning[]): KeySort =>
  radixSort({ ...RADIX_TUNING, ...radixParameters(tunings) });
const mergeStrings: Tuned = (tunings) => {
  const stage = stringMerge({ ...ORDER_TUNING, ...orderParameters(tunings) });
  return withMerges(stage, stage);
};
const radixStrings: Tuned = (tunings) =>
  withMerges(refining({ ...RADIX_REFINE_TUNING, firstSort: sortByRadix(tunings) }));

/** All algorithms of a GPU except the one that has an engine of its own (../hybrid/). */
export type DeviceAlgorithm = Exclude<GpuAlgorithm, typeof HYBRID_ALGORITHM>;

/** The engine's sort for each algorithm. src/plan/costs.ts knows which is best when. */
const STAGES: Readonly<Record<DeviceAlgorithm, Tuned>> = {
  // The tunings of merge sort apply to fixed keys only.
  merge: () => mergeStrings([]),
  'string-merge': mergeStrings,
  radix: radixStrings,
  'radix-refine': radixStrings,
  quicksort: () => withMerges(refining({ ...RADIX_REFINE_TUNING, firstSort: quicksort() })),
  'msd-radix': (tunings) =>
    withMerges(refining({ ...RADIX_REFINE_TUNING, firstSort: msdRadix(splitParameters(tunings)) })),
  locality: (tunings) =>
    withMerges(refining({ ...RADIX_REFINE_TUNING, firstSort: localitySort(localityParameters(tunings)) })),
  segmented: () => withMerges(SEGMENTED),
};

/** The algorithms that are sorts of fixed keys. */
const FIXED_KEY_STAGES: Readonly<Partial<Record<DeviceAlgorithm, Tuned>>> = {
  merge: (tunings) => {
    const { stableNetwork, ...merge } = mergeParameters(tunings);
    return fixedKeys(mergeSort({ merge, ...(stableNetwork && { stableNetwork }) }), runMerge(merge));
  },
  radix: (tunings) => fixedKeys(sortByRadix(tunings)),
  quicksort: () => fixedKeys(quicksort()),
  locality: (tunings) => fixedKeys(localitySort(localityParameters(tunings))),
};

/** The engine's sorts without tunings, for all records except those with fixed keys. */
export const SORT_STAGES = Object.fromEntries(
  Object.entries(STAGES).map(([algorithm, stage]) => [algorithm, stage([])]),
) as Readonly<Record<DeviceAlgorithm, SortStage>>;

/** The engine's sort for records of an ordering. */
export function sortStage(algorithm: DeviceAlgorithm, ordering: Ordering, tunings: readonly Tuning[] = []): SortStage {
  const ofKeys = keyForm(ordering) === null ? undefined : FIXED_KEY_STAGES[algorithm];
  if (ofKeys !== undefined) return ofKeys(tunings);
  return tunings.length === 0 ? SORT_STAGES[algorithm] : STAGES[algorithm](tunings);
}
