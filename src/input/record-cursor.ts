/**
 * Steps through the records of one input of any kind, in order, through a window of memory. For merging, checking and
 * headers, which look at each record once.
 */

import type { Ordering } from '../job/ordering.js';
import { collationOf, isCollated } from '../keys/collation/collation.js';
import { compareRecords, orderedBytes } from '../keys/compare.js';
import { delimiterBytes, type RecordFinder } from '../records/record-finder.js';
import type { ByteSource } from '../system/byte-source.js';
import { rest } from '../system/promises.js';

/** A source with the name of its input in messages. */
export interface LabeledSource extends ByteSource {
  readonly label: string;
}

/** Bytes copied between two calls of `rest`. Most of the time is spent on pages that are touched for the first time. */
const COPY_BYTES = 16 << 20;

/**
 * A window of a source. It holds whole records, so it grows to the longest one. Kept bytes move to its beginning.
 * (WholeRecords, in src/records, returns records where they were read, but cannot keep any.)
 */
export class SourceWindow {
  readonly source: LabeledSource;
  /** Bytes [0, filled) of it are input. */
  window: Buffer;
  protected filled = 0;
  protected ended = false;
  protected readonly finder: RecordFinder;
  private total = 0;

  /** `bytes`: its size at first. */
  constructor(source: LabeledSource, finder: RecordFinder, bytes = 0) {
    this.source = source;
    this.finder = finder;
    this.window = Buffer.allocUnsafe(bytes);
  }

  /** Moves bytes from `keep` on to the beginning. */
  protected drop(keep: number): void {
    if (keep > 0) this.window.copyWithin(0, keep, this.filled);
    this.filled -= keep;
  }

  /**
   * Appends bytes of the source. null: it has ended, and the record that begins at `begin`, if any, gets its delimiter.
   * Throws `bad-records` if that is not whole.
   */
  protected async append(bytes: Uint8Array | null, begin: number): Promise<void> {
    this.ended = bytes === null;
    if (bytes === null) this.finder.checkWhole(this.source.label, this.total);
    else this.total += bytes.length;
    const added = bytes ?? Uint8Array.from(begin < this.filled ? [this.finder.delimiter!] : []);
    this.window = await appended(this.window, this.filled, added);
    this.filled += added.length;
  }
}

export class RecordCursor extends SourceWindow {
  /** The current record is [start, end) of the window, without delimiter. */
  start = 0;
  end = 0;
  /** `next`: the start of the next record. `searched`: its end is not before this. */
  private next = 0;
  private searched = 0;

  /** Moves to the next record if the window holds all of it. */
  step(): boolean {
    const from = this.next;
    const begin = this.searched;
    const end = this.finder.firstEnd(this.window.subarray(begin, this.filled), begin - from);
    if (end < 0) {
      this.searched = this.filled;
      return false;
    }
    this.start = from;
    this.next = this.searched = begin + end;
    this.end = this.next - delimiterBytes(this.finder);
    return true;
  }

  /**
   * Reads until the next record is whole and moves to it; false at the end. Bytes from `keep` on, an offset in the
   * window, are kept. They move to the beginning of the window, so all offsets decrease by `keep`.
   */
  async refill(keep: number): Promise<boolean> {
    this.drop(keep);
    this.next -= keep;
    this.searched -= keep;
    while (!this.ended) {
      await this.append(await this.source.read(), this.next);
      if (this.step()) return true;
    }
    return false;
  }
}

/**
 * Copies `bytes` to byte `filled` of `window`, with pauses. Returns the window, or a larger copy if it was too small.
 */
export async function appended(window: Buffer, filled: number, bytes: Uint8Array): Promise<Buffer> {
  let target = window;
  if (filled + bytes.length > window.length) {
    target = Buffer.allocUnsafe(Math.max(2 * window.length, filled + bytes.length));
    await copyInPieces(window.subarray(0, filled), target, 0);
  }
  await copyInPieces(bytes, target, filled);
  return target;
}

/** Copies `from` to byte `place` of `target`, with pauses. */
async function copyInPieces(from: Uint8Array, target: Uint8Array, place: number): Promise<void> {
  for (let at = 0; at < from.length; at += COPY_BYTES) {
    target.set(from.subarray(at, at + COPY_BYTES), place + at);
    await rest();
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
