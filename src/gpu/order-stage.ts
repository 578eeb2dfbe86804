/**
 * What a sort of strings is to the engine: records in, record numbers out.
 */
import type { Ordering } from '../job.js';
import type { TieStatistics } from '../report/ties.js';
import type { Gpu } from './device/device.js';
import type { BufferPool } from './device/pool.js';
import type { Records } from './records/records.js';

/** A sort, or a merge of what is in order already: see string-merge/order.ts. */
export interface OrderStage {
  load(gpu: Gpu, ordering: Ordering): Promise<unknown>;
  /** Compiles what order needs for statistics besides; absent: it tells none. */
  readonly loadStatistics?: ((gpu: Gpu, ordering: Ordering) => Promise<unknown>) | undefined;
  order(gpu: Gpu, pool: BufferPool, records: Records, ordering: Ordering,
    options: { slices: readonly number[] | null; commonPrefix: number; statistics?: ((ties: TieStatistics) => void) | undefined }): Promise<{ order: GPUBuffer; count: number }>;
  /** Ends what it started besides: threads; absent: nothing. It can be loaded again. */
  readonly close?: (() => Promise<void>) | undefined;
}

/** What an engine sorts with: see engine/algorithms.ts. `load` compiles what chunks need, `loadMerge` what slices do. */
export interface SortStage extends OrderStage {
  loadMerge(gpu: Gpu, ordering: Ordering): Promise<unknown>;
}
