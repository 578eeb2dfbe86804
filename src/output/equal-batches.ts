/**
 * Filters that divide ordered records by equal keys. All input passes through them, so kernels do the work. They get
 * whole records in batches, and compare each record with the first one of its key (kernels/wasm/keys/records/equal.ts),
 * which stays in memory from batch to batch.
 */
import type { Ordering } from '../job/ordering.js';
import { type RecordFinder, recordFinder } from '../records/record-finder.js';
import { WholeRecords } from '../records/whole-records.js';
import { formatBytes } from '../report/units.js';
import { GpusortError } from '../system/errors.js';
import { growTo, KERNEL_SLACK } from '../system/memory.js';
import { rest } from '../system/promises.js';
import { type Filter, oneByOne } from './filter.js';

/** The minimum bytes per write, except the last one. */
export const WRITTEN_BYTES = 1 << 20;
/** Bytes of a batch: it fits into a processor's cache. A longer record is a batch of its own. */
const BATCH_BYTES = 256 << 10;
const MOST_BYTES = 2 ** 32 - 2 ** 17;

/** The part that differs between these filters. Addresses are in the memory of its kernels. */
export interface EqualDivider {
  readonly memory: WebAssembly.Memory;
  /** `holdFirst` copies the first record of the current key to `at`, before the memory of its batch is reused. */
  readonly kernels: { holdFirst(at: number): void };
  /** The first free address. The first record of the current key is kept there. */
  readonly free: number;
  /** For messages: the work that needs memory, and the remedy if a record is too long. */
  readonly tooLong: { readonly work: string; readonly hint: string };
  /**
   * Places the memory of results at `begin`, for batches of up to `most` bytes, and returns its end. Called while there
   * are no results.
   */
  layOut(begin: number, most: number): number;
  /** Divides the whole records [from, to), which are a copy of `records`. */
  divide(from: number, to: number, records: Uint8Array): Promise<void>;
  /** Begins to write all results so far. */
  flush(): Promise<void>;
  /** Writes the rest, after the last batch. */
  finish(): Promise<void>;
}

/** The filter for the records of `ordering`, in which equal keys are adjacent. */
export function dividingEqual(ordering: Ordering, divider: EqualDivider): Filter {
  return oneByOne(new Batches(ordering, divider));
}

class Batches {
  private readonly finder: RecordFinder;
  private readonly records: WholeRecords;
  private readonly divider: EqualDivider;
  /** Where batches lie, and their maximum bytes. */
  private source = 0;
  private most = 0;

  constructor(ordering: Ordering, divider: EqualDivider) {
    this.finder = recordFinder(ordering.format);
    this.records = new WholeRecords(this.finder);
    this.divider = divider;
    this.layOut(BATCH_BYTES);
  }

  async take(block: Uint8Array): Promise<void> {
    for (const text of this.records.texts(block))
      for (let at = 0; at < text.length; ) {
        const last = this.finder.lastEnd(text.subarray(at, at + BATCH_BYTES), 0);
        const end = at + (last > 0 ? last : this.finder.firstEnd(text.subarray(at), 0));
        await this.divide(text.subarray(at, end));
        at = end;
        await rest();
      }
  }

  finish(): Promise<void> {
    return this.divider.finish();
  }

  private async divide(records: Buffer): Promise<void> {
    const { divider } = this;
    if (records.length > this.most) {
      await divider.flush();
      this.layOut(records.length);
    }
    const { source } = this;
    new Uint8Array(divider.memory.buffer).set(records, source);
    await divider.divide(source, source + records.length, records);
    divider.kernels.holdFirst(divider.free);
  }

  /** Lays out the memory for batches of `most` bytes. The first record of the current key stays where it is. */
  private layOut(most: number): void {
    const { memory, free, tooLong } = this.divider;
    this.most = most;
    this.source = free + most + KERNEL_SLACK;
    const end = this.divider.layOut(this.source + most + KERNEL_SLACK, most);
    try {
      if (end > MOST_BYTES) throw new RangeError('a record is too long');
      growTo(memory, end);
    } catch (error) {
      throw new GpusortError('out-of-memory', `memory exhausted: ${tooLong.work} takes ${formatBytes(end)}`, {
        cause: error,
        hint: tooLong.hint,
      });
    }
  }
}
