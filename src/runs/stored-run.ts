/**
 * A run outside the engine: sorted text in a blob. Its records are found by looking for delimiters from any byte on, so
 * nothing but the text is kept. Positions count bytes only (index = byte).
 */
import type { Bounds, Position, Sample, Sorted, StoredRun } from '../engine.js';
import type { Ordering } from '../job.js';
import { compareRecords } from '../keys/compare.js';
import { delimiterBytes, recordFinder, type RecordFinder } from '../records/format.js';
import { sampleHead } from './sample-head.js';
import type { Blob, TemporaryStore } from './store.js';

/** Bytes read around a place where a record is looked for. */
const WINDOW_BYTES = 32 << 10;

const at = (byte: number): Position => ({ index: byte, byte });

/** Writes sorted text into the store. */
export async function storeRun(store: TemporaryStore, sorted: Sorted, ordering: Ordering): Promise<StoredRun> {
  const writer = store.create(sorted.bytes);
  await sorted.emit((block) => writer.write(block));
  return new BlobRun(await writer.finish(), ordering, sorted.buckets);
}

/** A blob of sorted records as a run. */
export class BlobRun implements StoredRun {
  readonly kind = 'stored';
  readonly end: Position;
  readonly buckets?: readonly number[];
  private readonly blob: Blob;
  private readonly ordering: Ordering;
  private readonly finder: RecordFinder;

  constructor(blob: Blob, ordering: Ordering, buckets?: readonly number[]) {
    this.blob = blob;
    this.ordering = ordering;
    this.finder = recordFinder(ordering.format);
    this.end = at(blob.bytes);
    if (buckets !== undefined) this.buckets = buckets;
  }

  readAt(byte: number, target: Uint8Array): Promise<void> { return this.blob.readAt(byte, target); }

  release(): void { this.blob.release(); }

  async sample(from: Position, to: Position, count: number): Promise<Sample[]> {
    const window = new Window(this.blob);
    const samples: Sample[] = [];
    let after = from.byte;
    for (let i = 1; i <= count; i++) {
      const target = Math.max(after + 1, from.byte + Math.floor(((to.byte - from.byte) * i) / (count + 1)));
      const start = await this.startFrom(window, target, to.byte);
      if (start >= to.byte) break;
      samples.push(await this.sampleAt(window, start));
      after = start;
    }
    if (samples.length === 0) {
      const second = await this.startFrom(window, from.byte + 1, to.byte);
      samples.push(await this.sampleAt(window, second < to.byte ? second : from.byte));
    }
    return samples;
  }

  private async sampleAt(window: Window, start: number): Promise<Sample> {
    const record = await this.recordFrom(window, start);
    return { at: at(start), head: new Uint8Array(sampleHead(this.ordering, record)), bytes: record.length };
  }

  async record(position: Position): Promise<Uint8Array> {
    return this.recordFrom(new Window(this.blob), position.byte);
  }

  async cut(from: Position, to: Position, records: readonly Uint8Array[]): Promise<Bounds[]> {
    const window = new Window(this.blob);
    const bounds: Bounds[] = [];
    let begin = from.byte;
    for (const record of records) {
      const lower = await this.search(window, begin, to.byte, (other) => compareRecords(this.ordering, other, record) >= 0);
      // Most records equal none here: the second search is only for those that do.
      const found = lower < to.byte && compareRecords(this.ordering, await this.recordFrom(window, lower), record) === 0;
      const upper = found ? await this.search(window, lower, to.byte, (other) => compareRecords(this.ordering, other, record) > 0) : lower;
      bounds.push({ lower: at(lower), upper: at(upper) });
      begin = lower;
    }
    return bounds;
  }

  /**
   * The first record in [from, to) that `beyond` holds for (it holds for all after it), or `to`. `from` begins a record. It is looked for in steps that
   * double and then by halves: of many cuts each is near the one before it, and what lies far off is not read.
   */
  private async search(window: Window, from: number, to: number, beyond: (record: Uint8Array) => boolean): Promise<number> {
    let low = from;     // a record begins here; records before it are decided: not beyond
    let high = to;      // records that begin at or after it are decided
    let answer = to;
    let step = WINDOW_BYTES;
    while (low < high) {
      // From here on all is looked up in one window.
      if (high - low <= WINDOW_BYTES) await window.view(low, high - low);
      const middle = low + Math.min(step, Math.floor((high - low) / 2));
      const start = middle === low ? low : await this.startFrom(window, middle, high);
      if (start < high) {
        const record = await this.recordFrom(window, start);
        if (!beyond(record)) {
          low = start + record.length + delimiterBytes(this.finder);
          step *= 2;
          continue;
        }
        answer = start;
      }
      high = middle;
      step = Infinity;
    }
    return answer;
  }

  /** Where the first record that begins at `byte` or later begins; `limit` or more if there is none before `limit`. */
  private async startFrom(window: Window, byte: number, limit: number): Promise<number> {
    if (byte <= 0) return 0;
    for (let low = byte - 1; low < limit;) {
      const view = await window.view(low, 1);
      const end = this.finder.firstEnd(view, low);
      if (end >= 0) return low + end;
      low += view.length;
    }
    return limit;
  }

  /** The record that begins at `start`, without its delimiter; valid until the window is used again. */
  private async recordFrom(window: Window, start: number): Promise<Uint8Array> {
    for (let least = 1; ; least *= 4) {
      const view = await window.view(start, least);
      const end = this.finder.firstEnd(view, start);
      if (end >= 0) return view.subarray(0, end - delimiterBytes(this.finder));
      least = Math.max(least, view.length);
    }
  }
}

/** The piece of a blob that was read last. Calls that go on side by side have one each. */
class Window {
  private readonly blob: Blob;
  private buffer: Buffer = Buffer.alloc(0);
  private start = 0;
  private bytes = 0;

  constructor(blob: Blob) {
    this.blob = blob;
  }

  /** The blob's bytes from `byte` on, at least `least` of them (or all there are); valid until the next call. */
  async view(byte: number, least: number): Promise<Buffer> {
    const enough = Math.min(least, this.blob.bytes - byte);
    if (byte < this.start || byte + enough > this.start + this.bytes) {
      this.start = byte;
      this.bytes = Math.min(Math.max(WINDOW_BYTES, enough), this.blob.bytes - byte);
      if (this.buffer.length < this.bytes) this.buffer = Buffer.allocUnsafe(this.bytes);
      await this.blob.readAt(byte, this.buffer.subarray(0, this.bytes));
    }
    return this.buffer.subarray(byte - this.start, this.bytes);
  }
}
