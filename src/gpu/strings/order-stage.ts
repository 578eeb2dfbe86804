/**
 * The interface between a sort of records and the engine: records in; record numbers, or records, out.
 */
import type { Ordering } from '../../job.js';
import type { MergeStatistics } from '../../report/merges.js';
import type { TieStatistics } from '../../report/ties.js';
import type { Gpu } from '../device/device.js';
import type { DevicePool, Scratch } from '../device/pool.js';
import type { Records } from '../records/records.js';

/** Records in order. The caller returns the buffers to the pool. */
export type OrderedRecords =
  /** By their numbers, u32. */
  | { readonly order: GPUBuffer; readonly count: number }
  /** In a form of the sort's own, from which it writes the text of `count` records from number `first` on. */
  | {
      readonly buffers: readonly GPUBuffer[];
      readonly count: number;
      write(scratch: Scratch, first: number, count: number): Promise<Records>;
    };

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
  ): Promise<OrderedRecords>;
}
