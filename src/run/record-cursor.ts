/** Steps through the records of one input of any kind, in order. Used by merges that look at each record once. */

import type { Ordering } from '../job/ordering.js';
import { collationOf, isCollated } from '../keys/collation/collation.js';
import { compareRecords, orderedBytes } from '../keys/compare.js';
import { delimiterBytes, type RecordFinder } from '../records/record-finder.js';
import { recordTexts } from '../records/whole-records.js';
import type { ByteSource } from '../system/byte-source.js';

export class RecordCursor {
  /** Whole records, where they were read. */
  window: Buffer = Buffer.alloc(0);
  /** The current record is [start, end) of the window, without delimiter. */
  start = 0;
  end = 0;
  /** The start of the next record. */
  private next = 0;
  private readonly finder: RecordFinder;
  private readonly texts: AsyncGenerator<Buffer, void>;

  /** `source` has whole records. */
  constructor(source: ByteSource, finder: RecordFinder) {
    this.finder = finder;
    this.texts = recordTexts(source, finder);
  }

  /** Moves to the next record if the window holds it. */
  step(): boolean {
    if (this.next === this.window.length) return false;
    this.start = this.next;
    this.next = this.finder.firstEnd(this.window, 0, this.start);
    this.end = this.next - delimiterBytes(this.finder);
    return true;
  }

  /** Moves to the next record, which is outside the window, and reads it; false at the end. Frees the window. */
  async refill(): Promise<boolean> {
    const { done, value } = await this.texts.next();
    if (done === true) return false;
    this.window = value;
    this.next = 0;
    return this.step();
  }
}

/** Compares the current records of several cursors, for -m. Their keys are computed once per record. */
interface CursorOrder {
  /** Cursor `i` has moved to another record. */
  moved(i: number): void;
  /** Compares the records of two cursors; 0 if only their places in the input decide. */
  compare(a: number, b: number): number;
}

/** The bytes of a cursor's current record. */
export function recordOf({ window, start, end }: RecordCursor): Uint8Array {
  return window.subarray(start, end);
}

export function cursorOrder(cursors: readonly RecordCursor[], ordering: Ordering): CursorOrder {
  return isCollated(ordering) ? collatedOrder(cursors, ordering) : byteOrder(cursors, ordering);
}

/**
 * Compares the first six ordered bytes as a number, which a double holds exactly, then all of them. Under `reverse` the
 * number is negated: the smaller number always sorts first.
 */
function byteOrder(cursors: readonly RecordCursor[], ordering: Ordering): CursorOrder {
  const prefixes = new Float64Array(cursors.length);
  const flip = ordering.reverse ? -1 : 1;
  const isRecord = ordering.key.kind === 'record';
  return {
    moved(i) {
      const { window, start, end } = cursors[i];
      const head = isRecord ? window : orderedBytes(ordering, window.subarray(start, end), 6);
      const base = isRecord ? start : 0;
      const count = isRecord ? Math.min(6, end - start) : head.length;
      let value = 0;
      for (let j = 0; j < 6; j++) value = value * 256 + (j < count ? head[base + j] : 0);
      prefixes[i] = flip * value;
    },
    compare: (a, b) =>
      prefixes[a] !== prefixes[b]
        ? prefixes[a] - prefixes[b]
        : compareRecords(ordering, recordOf(cursors[a]), recordOf(cursors[b])),
  };
}

function collatedOrder(cursors: readonly RecordCursor[], ordering: Ordering): CursorOrder {
  const collation = collationOf(ordering);
  const values: string[][] = cursors.map(() => []);
  return {
    moved(i) {
      values[i] = collation.valuesOf(recordOf(cursors[i]));
    },
    compare: (a, b) =>
      collation.compareValues(values[a], values[b]) ||
      collation.compareLast(recordOf(cursors[a]), recordOf(cursors[b])),
  };
}
