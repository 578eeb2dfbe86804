/**
 * Records in order, as sorts hand them to the engine. Knows no sort.
 */
import type { Scratch } from '../device/pool.js';
import type { Records } from './records.js';

/** Record numbers in order, as u32 in a buffer of the pool that the caller returns. */
export interface RecordOrder {
  readonly order: GPUBuffer;
  readonly count: number;
}

/** Records in a form of the sort's own, in buffers of the pool that the caller returns. */
export interface HeldRecords {
  readonly buffers: readonly GPUBuffer[];
  readonly count: number;
  /** Writes the text of `count` records from number `first` on to buffers of `scratch`. */
  write(scratch: Scratch, first: number, count: number): Promise<Records>;
}

export type OrderedRecords = RecordOrder | HeldRecords;
