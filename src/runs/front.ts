/**
 * What is still to be merged of one sorted text, as far as it is in memory. A text outside is read once, from front to
 * back, into windows of shared memory; merges take it from there.
 */
import { OutOfOrder, type Position, type Run, type Slice, type StoredRun } from '../engine.js';
import type { Ordering } from '../job.js';
import { internalError } from '../report/errors.js';
import { recordFinder, type RecordFinder } from '../records/format.js';
import { NO_PLACE, placeBytes as bytesOf, type Place, type WindowMemory } from './window-memory.js';
import { at, TextRun } from './text-run.js';

export interface Front {
  /** Whole records in order, in memory. */
  readonly slice: Slice;
  /** Whether there are none behind those. */
  readonly ended: boolean;
  /** Brings more records into memory if it is time for that; at least one, if there are any. */
  fill(): Promise<void>;
  /** Moves on to `to`, a position in the slice. */
  moveTo(to: Position): void;
  /** Gives up all but the first of the records of the slice, which have one key, to see more. Throws OutOfOrder if they have not. */
  keepFirst(): void;
  /** Keeps the memory of the slice as it is until the function returned is called. */
  hold(): () => void;
  /** The last record of the slice, which is not empty. */
  last(): Uint8Array;
  /** Nothing is left of it. */
  close(): void;
}


/** Bytes read at once of what is not merged. */
const PIECE_BYTES = 1 << 20;

/** A slice in memory. */
export function frontInMemory(slice: Slice): Front {
  let { from } = slice;
  const { run, to } = slice;
  return {
    get slice() { return { run, from, to }; },
    ended: true,
    fill: () => Promise.resolve(),
    moveTo: (place) => { from = place; },
    keepFirst: () => { throw internalError('a slice in memory has no more to be seen'); },
    hold: () => () => {},
    last: () => { throw internalError('all of a slice in memory can be merged'); },
    close: () => {},
  };
}

/** Sorted text that is read in order. */
export interface OrderedText {
  /** The bytes are whole records, also at the end: fills `target`, and resolves to fewer bytes than that only there. */
  read(target: Uint8Array): Promise<number>;
  /** Called when all was read, and perhaps again. */
  close(): void;
}

/** The text of a stored slice. `over`: called once it is read. */
export function storedText({ run, from, to }: Slice, over: () => void): OrderedText {
  let place = from.byte;
  return {
    async read(target) {
      const bytes = Math.min(target.length, to.byte - place);
      const begin = place;
      place += bytes;
      if (bytes > 0) await (run as StoredRun).readAt(begin, target.subarray(0, bytes));
      return bytes;
    },
    close: over,
  };
}

/** A part of shared memory that holds a window, and who needs it: the front, and merges of its records. */
interface Window { readonly place: Place; users: number }

/** A front in windows of `memory`. */
export class FrontInWindows implements Front {
  ended = false;
  private readonly text: OrderedText;
  private readonly ordering: Ordering;
  private readonly finder: RecordFinder;
  private readonly memory: WindowMemory;
  private window: Window = { place: NO_PLACE, users: 1 };
  private run: TextRun;
  /** All runs of it so far. */
  private readonly runs = new WeakSet<Run>();
  private from = 0;
  /** Where the window's text ends, and its last whole record. */
  private to = 0;
  /** Whether more is to be read, however full the window is. */
  private isShort = true;

  constructor(text: OrderedText, ordering: Ordering, memory: WindowMemory) {
    this.text = text;
    this.ordering = ordering;
    this.finder = recordFinder(ordering.format);
    this.memory = memory;
    this.run = new TextRun(NO_PLACE.buffer, 0, 0, ordering);
  }

  get slice(): Slice { return { run: this.run, from: at(this.from), to: this.run.end }; }

  async fill(): Promise<void> {
    if (this.ended) return;
    const { finder, memory } = this;
    // What is left of a window when it is refilled is moved.
    const leastRead = Math.ceil(memory.windowBytes * 2 / 3);
    let filled = this.to - this.from;
    if (!this.isShort && this.from < this.run.end.byte && memory.windowBytes - filled < leastRead) return;
    let size = memory.windowBytes;
    while (size - filled < leastRead) size *= 2;
    let place = memory.take(size);
    bytesOf(place, 0, filled).set(new Uint8Array(this.window.place.buffer, this.from, filled));
    this.letGo(this.window);
    for (;;) {
      const count = await this.text.read(bytesOf(place, filled, size));
      filled += count;
      if (filled < size) {
        this.ended = true;
        this.text.close();
      }
      const whole = filled === 0 ? 0 : finder.lastEnd(bytesOf(place, 0, filled), 0);
      if (whole >= 0) {
        const { buffer, begin } = place;
        this.window = { place, users: 1 };
        this.run = new TextRun(buffer, begin, begin + whole, this.ordering);
        this.runs.add(this.run);
        [this.from, this.to, this.isShort] = [begin, begin + filled, false];
        return;
      }
      // A record longer than the window.
      const larger = memory.take(size *= 2);
      bytesOf(larger, 0, filled).set(bytesOf(place, 0, filled));
      memory.give(place);
      place = larger;
    }
  }

  moveTo({ byte }: Position): void {
    this.from = byte;
  }

  close(): void { this.letGo(this.window); }

  keepFirst(): void {
    if (!this.run.isOneKey(at(this.from))) throw new OutOfOrder('records that were to have one key have several');
    const { buffer } = this.window.place;
    const bytes = this.finder.firstEnd(Buffer.from(buffer, this.from, this.to - this.from), 0);
    const begin = this.run.end.byte - bytes;
    // Merges that are under way use nothing behind `from`.
    new Uint8Array(buffer).copyWithin(begin, this.from, this.from + bytes);
    this.from = begin;
    this.isShort = true;
  }

  hold(): () => void {
    const { window } = this;
    window.users++;
    return () => this.letGo(window);
  }

  last(): Uint8Array { return this.run.last; }

  /** What was not merged: the slices of it in `unwritten`, which were to be, then what follows; nothing is filled any more. */
  async* unmerged(unwritten: readonly Slice[]): AsyncGenerator<Uint8Array> {
    for (const { run, from, to } of unwritten) {
      if (this.runs.has(run)) yield new Uint8Array((run as TextRun).memory, from.byte, to.byte - from.byte);
    }
    yield new Uint8Array(this.window.place.buffer, this.from, this.to - this.from);
    while (!this.ended) {
      const bytes = new Uint8Array(PIECE_BYTES);
      const count = await this.text.read(bytes);
      this.ended = count < bytes.length;
      yield bytes.subarray(0, count);
    }
  }

  private letGo(window: Window): void {
    if (--window.users === 0) this.memory.give(window.place);
  }
}
