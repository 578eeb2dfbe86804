/**
 * The sorts that the GPU engine can be given, by the names of --algorithm. Knows nothing of when which is best: src/plan/costs.ts does.
 */
import type { GpuAlgorithm } from '../../job.js';
import { localitySort } from '../locality-sort/locality-sort.js';
import { msdRadix } from '../msd-radix/msd-radix.js';
import { loadOrder, loadOrderStatistics, orderRecords } from '../string-merge/order.js';
import { loadRadixRefine, RADIX_REFINE_TUNING, radixRefine, type RadixRefineTuning } from '../radix-refine/radix-refine.js';
import { loadSegmentSort, segmentSort } from '../segments/segment-sort.js';
import type { OrderStage, SortStage } from '../order-stage.js';

/** Chunks sorted by `sort`, slices merged as ever: by merge path, ties read from the text. */
function withMerges(sort: OrderStage): SortStage {
  return {
    load: (gpu, ordering) => sort.load(gpu, ordering),
    loadStatistics: sort.loadStatistics,
    close: sort.close,
    loadMerge: (gpu, ordering) => loadOrder(gpu, ordering),
    order: (gpu, pool, records, ordering, options) => (options.slices === null ? sort : STRING_MERGE).order(gpu, pool, records, ordering, options),
  };
}

const STRING_MERGE: OrderStage = {
  load: (gpu, ordering) => loadOrder(gpu, ordering),
  loadStatistics: (gpu, ordering) => loadOrderStatistics(gpu, ordering),
  order: orderRecords,
};
/** Packed prefixes sorted first, in one way or another, then what is tied. */
const refining = (tuning: RadixRefineTuning): OrderStage => ({
  load: (gpu, ordering) => loadRadixRefine(gpu, ordering, tuning),
  order: (gpu, pool, records, ordering, { commonPrefix }) => radixRefine(gpu, pool, records, ordering, commonPrefix, tuning),
});
const SEGMENTED: OrderStage = {
  load: loadSegmentSort,
  order: (gpu, pool, records, ordering, { commonPrefix }) => segmentSort(gpu, pool, records, ordering, commonPrefix),
};

/** What the engine sorts with, by algorithm. */
export const SORT_STAGES: Readonly<Record<GpuAlgorithm, SortStage>> = {
  'string-merge': withMerges(STRING_MERGE),
  'radix-refine': withMerges(refining(RADIX_REFINE_TUNING)),
  'msd-radix': withMerges(msdRadix()),
  locality: withMerges(refining({ ...RADIX_REFINE_TUNING, firstSort: localitySort() })),
  segmented: withMerges(SEGMENTED),
};
