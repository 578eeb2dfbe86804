/**
 * The interface between the engine and its sort (algorithms.ts): how chunks are sorted, and how slices are merged.
 */
import type { Ordering } from '../../../job/job.js';
import type { Gpu } from '../device/device.js';
import type { DevicePool } from '../device/pool.js';
import type { HostText } from '../records/host-text.js';
import type { OrderedRecords } from '../records/ordered-records.js';
import type { HostThreads } from '../strings/msd-radix/host-threads.js';
import type { OrderStage } from '../strings/order-stage.js';

/**
 * A sort of records whose text stays in host memory, with threads of the host: fills `order`, one place a record, with
 * record numbers. Resolves to how many there are, fewer than the records only under `unique`.
 */
export type HostOrder = (
  gpu: Gpu,
  pool: DevicePool,
  threads: HostThreads,
  text: HostText,
  ordering: Ordering,
  order: Uint32Array<SharedArrayBuffer>,
) => Promise<{ readonly count: number }>;

/** The sort of an engine. `load` compiles what chunks need, `loadMerge` what slices need. */
export interface SortStage extends Omit<OrderStage, 'order'> {
  order(...given: Parameters<OrderStage['order']>): Promise<OrderedRecords>;
  /** Sorts chunks instead of `order`, which then merges slices only. Absent: the text of chunks goes to the device. */
  readonly hostOrder?: HostOrder | undefined;
  loadMerge(gpu: Gpu, ordering: Ordering): Promise<unknown>;
}
