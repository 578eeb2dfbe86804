/**
 * The sorts that the GPU engine can be given, by the names of --algorithm. Knows nothing of when which is best: src/plan/costs.ts does.
 */
import type { GpuAlgorithm } from '../job.js';
import { loadOrder, orderRecords } from './order.js';
import { loadRadixRefine, radixRefine } from './radix-refine/radix-refine.js';
import type { OrderStage } from './stages.js';

/** Sorts records that are in no order; the arguments are those of radixRefine. */
type ChunkSort = (...[gpu, pool, records, ordering, commonPrefix]: Parameters<typeof radixRefine>) => ReturnType<typeof radixRefine>;

/** Chunks sorted by `sort`, slices merged as ever: by merge path, ties read from the text. */
function withMerges(load: OrderStage['load'], sort: ChunkSort): OrderStage {
  return {
    load,
    loadMerge: (gpu, ordering) => loadOrder(gpu, ordering),
    order: (gpu, pool, records, ordering, { slices, commonPrefix }) => (slices === null
      ? sort(gpu, pool, records, ordering, commonPrefix)
      : orderRecords(gpu, pool, records, ordering, { slices, commonPrefix })),
  };
}

/** The order stage of each algorithm. */
export const ORDER_STAGES: Readonly<Record<GpuAlgorithm, OrderStage>> = {
  // Merging slices takes the kernels that sorting does: what is left tied is sorted.
  'string-merge': { load: (gpu, ordering) => loadOrder(gpu, ordering), loadMerge: (gpu, ordering) => loadOrder(gpu, ordering), order: orderRecords },
  'radix-refine': withMerges(loadRadixRefine, radixRefine),
};
