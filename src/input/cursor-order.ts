/** Compares the current records of several cursors, for -m. What they are compared by is computed once per record. */
import type { Ordering } from '../job/job.js';
import { collationOf, isCollated } from '../keys/collation/collation.js';
import { compareRecords, orderedBytes } from '../keys/compare.js';
import type { RecordCursor } from './record-cursor.js';

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
 * number is negative, so that smaller always sorts first.
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
