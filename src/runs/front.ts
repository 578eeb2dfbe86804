/**
 * A front: the part of one sorted text that is still to be merged, as far as it is in memory. Text outside memory is
 * read once, front to back, into windows of shared memory, from which merges take it.
 */
import { type KeptRun, OutOfOrder, type Position, type Slice, type StoredRun } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { type RecordFinder, recordFinder } from '../records/record-finder.js';
import { type ByteSource, FillingSource, sequential } from '../system/byte-source.js';
import { internalError } from '../system/errors.js';
import { runInMemory } from './sized-run.js';
import type { TextRun } from './text-run.js';
import { placeBytes as bytesOf, NO_PLACE, type WindowMemory, type WindowPlace } from './window-memory.js';

export interface Front {
  /** Whole records in order, in memory. */
  readonly slice: Slice;
  /** Whether no records follow the slice. */
  readonly ended: boolean;
  /** Reads more records if enough of the window is free: at least one, if any are left. */
  fill(): Promise<void>;
  /** Advances the start of the slice to `to`, a position in it. */
  moveTo(to: Position): void;
  /**
   * Drops all records of the slice except the first, to make room for more. Throws OutOfOrder unless all have one key.
   */
  keepFirst(): void;
  /**
   * Called with whether most of the records to be merged next are this front's. If so, its next window is larger,
   * because each round looks at all fronts.
   */
  prefer(isMost: boolean): void;
  /** Keeps the memory of the slice unchanged until the returned function is called. */
  hold(): () => void;
  /** The last record of the slice, which must not be empty. */
  last(): Uint8Array;
  /** Called when no records are left. */
  close(): void;
}

/** Bytes per read of the text that is not merged. */
const PIECE_BYTES = 1 << 20;

export function frontInMemory(slice: Slice): Front {
  let { from } = slice;
  const { run, to } = slice;
  return {
    get slice() {
      return { run, from, to };
    },
    ended: true,
    fill: () => Promise.resolve(),
    moveTo: (place) => {
      from = place;
    },
    keepFirst: () => {
      throw internalError('a slice in memory has no more to be seen');
    },
    prefer: () => {},
    hold: () => () => {},
    last: () => {
      throw internalError('all of a slice in memory can be merged');
    },
    close: () => {},
  };
}

/** The text of a stored slice. `over` is called once it has been read. */
export function storedText({ run, from, to }: Slice, over: () => void): ByteSource {
  return sequential(run as StoredRun, from.byte, to.byte, over);
}

/** A part of shared memory that holds a window. `users` counts the front and the merges that use its records. */
interface HeldWindow {
  readonly place: WindowPlace;
  users: number;
}

/**
 * A front that reads into windows of `memory`, which is shared: merges in progress still use its records. So an
 * unfinished record is copied to the next window.
 */
export class FrontInWindows implements Front {
  ended = false;
  private readonly text: FillingSource;
  private readonly ordering: Ordering;
  private readonly finder: RecordFinder;
  private readonly memory: WindowMemory;
  /** Bytes of the next window. */
  private wanted: number;
  private window: HeldWindow = { place: NO_PLACE, users: 1 };
  private run: TextRun;
  /** All runs this front has had: one for each window. */
  private readonly runs = new WeakSet<KeptRun>();
  private from = 0;
  /** End of the bytes read into the window, which may end with a part of a record. */
  private to = 0;
  /** The last record of the run, cached because each round asks for it. */
  private lastRecord: Uint8Array | null = null;
  /** Whether to read more, even if the window is nearly full. */
  private isShort = true;

  /** `text`: whole records in order. It is closed when everything has been read. */
  constructor(text: ByteSource, ordering: Ordering, memory: WindowMemory) {
    this.text = new FillingSource(text);
    this.ordering = ordering;
    this.finder = recordFinder(ordering.format);
    this.memory = memory;
    this.wanted = memory.windowBytes;
    this.run = runInMemory(NO_PLACE.buffer, { begin: 0, end: 0 }, ordering);
  }

  get slice(): Slice {
    return { run: this.run, from: { byte: this.from }, to: this.run.end };
  }

  async fill(): Promise<void> {
    if (this.ended) return;
    const { finder, memory } = this;
    // A refill copies the rest of the window. That is worth it only if at least two thirds of the window are free.
    const leastRead = Math.ceil((memory.windowBytes * 2) / 3);
    let filled = this.to - this.from;
    if (!this.isShort && this.from < this.run.end.byte && memory.windowBytes - filled < leastRead) return;
    let size = this.wanted;
    while (size - filled < leastRead) size *= 2;
    let place = memory.take(size);
    bytesOf(place, 0, filled).set(new Uint8Array(this.window.place.buffer, this.from, filled));
    this.letGo(this.window);
    for (;;) {
      const count = await this.text.fill(bytesOf(place, filled, size));
      filled += count;
      if (filled < size) {
        this.ended = true;
        this.text.close();
      }
      const whole = filled === 0 ? 0 : finder.lastEnd(bytesOf(place, 0, filled), 0);
      if (whole >= 0) {
        const { buffer, begin } = place;
        this.window = { place, users: 1 };
        this.run = runInMemory(buffer, { begin, end: begin + whole }, this.ordering);
        this.runs.add(this.run);
        [this.from, this.to, this.isShort, this.lastRecord] = [begin, begin + filled, false, null];
        return;
      }
      // The record is longer than the window.
      const larger = memory.take((size *= 2));
      bytesOf(larger, 0, filled).set(bytesOf(place, 0, filled));
      memory.give(place);
      place = larger;
    }
  }

  moveTo({ byte }: Position): void {
    this.from = byte;
  }

  close(): void {
    this.letGo(this.window);
  }

  keepFirst(): void {
    if (!this.run.isOneKey({ byte: this.from })) throw new OutOfOrder('records that were to have one key have several');
    const { buffer } = this.window.place;
    const bytes = this.finder.firstEnd(Buffer.from(buffer, this.from, this.to - this.from), 0);
    const begin = this.run.end.byte - bytes;
    // Merges under way use nothing after `from`.
    new Uint8Array(buffer).copyWithin(begin, this.from, this.from + bytes);
    [this.from, this.isShort, this.lastRecord] = [begin, true, null];
  }

  prefer(isMost: boolean): void {
    const { windowBytes, blockBytes } = this.memory;
    this.wanted = isMost ? Math.min(2 * this.wanted, blockBytes) : windowBytes;
  }

  hold(): () => void {
    const { window } = this;
    window.users++;
    return () => this.letGo(window);
  }

  last(): Uint8Array {
    this.lastRecord ??= this.run.last({ byte: this.from }, this.run.end);
    return this.lastRecord;
  }

  /** The first record left, if it is in memory. */
  head(): Uint8Array | null {
    return this.from < this.run.end.byte ? this.run.recordFrom(this.from) : null;
  }

  /**
   * The bytes that were not merged: this front's slices in `unwritten`, then everything after them. The front must not
   * be filled after that.
   */
  async *unmerged(unwritten: readonly Slice<KeptRun>[]): AsyncGenerator<Uint8Array, void> {
    for (const { run, from, to } of unwritten) {
      if (this.runs.has(run)) yield new Uint8Array((run as TextRun).memory, from.byte, to.byte - from.byte);
    }
    yield new Uint8Array(this.window.place.buffer, this.from, this.to - this.from);
    while (!this.ended) {
      const bytes = new Uint8Array(PIECE_BYTES);
      const count = await this.text.fill(bytes);
      this.ended = count < bytes.length;
      yield bytes.subarray(0, count);
    }
  }

  private letGo(window: HeldWindow): void {
    if (--window.users === 0) this.memory.give(window.place);
  }
}

/**
 * Whether these slices can be merged without looking at any other record, if a merge takes the smallest of the next
 * records. Each slice must be in order, and each front must have moved past its slice. A next record outside memory is
 * no obstacle if it follows the greatest record of the slices.
 */
export function comeFirst(
  slices: readonly Slice<KeptRun>[],
  fronts: readonly FrontInWindows[],
  ordering: Ordering,
): boolean {
  let greatest: Uint8Array | null = null;
  let greatestFront = 0;
  let number = 0;
  for (const { run, from, to } of slices) {
    while (fronts[number].slice.run !== run) number++;
    const last = (run as TextRun).last(from, to);
    if (greatest !== null && compareRecords(ordering, greatest, last) > 0) continue;
    greatest = last;
    greatestFront = number;
  }
  return fronts.every((front, i) => {
    const head = front.head();
    if (head === null) return front.ended || (i === greatestFront && !ordering.unique);
    const sign = compareRecords(ordering, greatest!, head);
    // Equal records are taken in the order of the fronts; under `unique`, one merge must see them all.
    return sign < 0 || (sign === 0 && greatestFront <= i && !ordering.unique);
  });
}
