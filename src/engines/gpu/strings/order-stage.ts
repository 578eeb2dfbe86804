/**
 * The interface between a sort of strings and the engine: records in, record numbers out.
 */
import type { Ordering } from '../../../job/job.js';
import type { MergeStatistics } from '../../../report/merges.js';
import type { TieStatistics } from '../../../report/ties.js';
import type { Gpu } from '../device/device.js';
import type { DevicePool } from '../device/pool.js';
import type { RecordOrder } from '../records/ordered-records.js';
import type { Records } from '../records/records.js';

/** A sort, or a merge of slices that are already in order: see string-merge/order.ts. */
export interface OrderStage {
  load(gpu: Gpu, ordering: Ordering): Promise<unknown>;
  /** Compiles what `order` needs to collect statistics. Absent: it collects none. */
  readonly loadStatistics?: ((gpu: Gpu, ordering: Ordering) => Promise<unknown>) | undefined;
  order(
    gpu: Gpu,
    pool: DevicePool,
    records: Records,
    ordering: Ordering,
    options: {
      slices: readonly number[] | null;
      commonPrefix: number;
      statistics?: ((ties: TieStatistics) => void) | undefined;
      /** Receives what the merges of sorts by tiles did, if the stage has any. */
      merges?: ((merges: MergeStatistics) => void) | undefined;
    },
  ): Promise<RecordOrder>;
}
