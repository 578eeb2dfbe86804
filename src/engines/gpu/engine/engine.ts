/**
 * The GPU engine with one of the project's own sorts, as the rest of the program uses it.
 */
import type { GpuAlgorithm } from '../../../job/algorithm-table.js';
import type { Ordering } from '../../../job/ordering.js';
import type { Engine } from '../../contract.js';
import type { Gpu } from '../device/device.js';
import { localitySort } from '../keys/locality-sort/locality-sort.js';
import { mergeSort } from '../keys/merge-sort/merge-sort.js';
import { quicksort } from '../keys/quicksort/quicksort.js';
import { radixSort } from '../keys/radix-sort/radix-sort.js';
import { loadSegmentSort, segmentSort } from '../segments/segment-sort.js';
import type { OrderStage } from '../strings/entries.js';
import { msdRadix } from '../strings/msd-radix/msd-radix.js';
import { loadPackedPrefixes, sortByPrefixes } from '../strings/msd-radix/packed-prefixes.js';
import {
  loadRadixRefine,
  RADIX_REFINE_TUNING,
  type RadixRefineTuning,
  radixRefine,
} from '../strings/radix-refine/radix-refine.js';
import { loadOrder, loadOrderStatistics, orderRecords } from '../strings/string-merge/order.js';
import { assembleGpuEngine, type GpuEngineOptions } from './engine-core.js';
import { fixedKeys } from './fixed-keys/fixed-keys.js';
import { keyForm } from './fixed-keys/form.js';
import type { SortStage } from './stages.js';

export type { GpuEngineOptions } from './engine-core.js';

/** An engine that sorts chunks by `algorithm` on `gpu`. Closing the engine closes `gpu`. */
export function createGpuEngine(gpu: Gpu, algorithm: GpuAlgorithm, options: GpuEngineOptions): Engine {
  const engine = assembleGpuEngine(gpu, options, sortStage(algorithm, options.ordering));
  return {
    ...engine,
    close: async () => {
      await engine.close();
      gpu.close();
    },
  };
}

/**
 * The sorts of the GPU engine, by the names of --algorithm. Knows nothing of which is best when: see src/plan/costs.ts.
 */

/** Sorts chunks by `sort`. Merges slices as string-merge does: by merge path, with ties read from the text. */
function withMerges(sort: OrderStage): SortStage {
  return {
    load: (gpu, ordering) => sort.load(gpu, ordering),
    loadStatistics: sort.loadStatistics,
    loadMerge: (gpu, ordering) => loadOrder(gpu, ordering),
    order: (gpu, pool, records, ordering, options) =>
      (options.slices === null ? sort : STRING_MERGE).order(gpu, pool, records, ordering, options),
  };
}

const STRING_MERGE: OrderStage = {
  load: (gpu, ordering) => loadOrder(gpu, ordering),
  loadStatistics: (gpu, ordering) => loadOrderStatistics(gpu, ordering),
  order: orderRecords,
};
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

const MERGE = withMerges(STRING_MERGE);
const REFINE = withMerges(refining(RADIX_REFINE_TUNING));

/** The engine's sort for each algorithm. */
export const SORT_STAGES: Readonly<Record<GpuAlgorithm, SortStage>> = {
  merge: MERGE,
  'string-merge': MERGE,
  radix: REFINE,
  'radix-refine': REFINE,
  quicksort: withMerges(refining({ ...RADIX_REFINE_TUNING, firstSort: quicksort() })),
  'msd-radix': withMerges(msdRadix()),
  'msd-radix-hybrid': {
    load: (gpu) => loadPackedPrefixes(gpu),
    loadMerge: (gpu, ordering) => loadOrder(gpu, ordering),
    order: orderRecords,
    hostOrder: sortByPrefixes(),
  },
  locality: withMerges(refining({ ...RADIX_REFINE_TUNING, firstSort: localitySort() })),
  segmented: withMerges(SEGMENTED),
};

/** The algorithms that are sorts of fixed keys. */
const FIXED_KEY_STAGES: Readonly<Partial<Record<GpuAlgorithm, SortStage>>> = {
  merge: fixedKeys(mergeSort()),
  radix: fixedKeys(radixSort()),
  quicksort: fixedKeys(quicksort()),
  locality: fixedKeys(localitySort()),
};

/** The engine's sort for records of an ordering. */
export function sortStage(algorithm: GpuAlgorithm, ordering: Ordering): SortStage {
  const stage = keyForm(ordering) === null ? undefined : FIXED_KEY_STAGES[algorithm];
  return stage ?? SORT_STAGES[algorithm];
}
