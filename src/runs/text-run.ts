/**
 * A run of text in shared memory: one of the CPU engine, or one in a window. A record is found by looking for a
 * delimiter from any byte. docs/history.md compares this with an index of every sixteenth record.
 */
import type { Bounds, Ends, Position, Run, SampledRecord } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { compareRecords, keyOf, keyOffset } from '../keys/compare.js';
import type { RandomAccess } from '../system/byte-source.js';
import { rest } from '../system/promises.js';
import { sampleHead } from './run-index.js';

/**
 * Minimum bytes per sample, apart from the first few samples. With 22 runs and ranges of 3 MiB, the sizes of ranges
 * then differ by 4 %. Each sample costs 2 us.
 */
const SAMPLE_SPACING = 128 << 10;
const FEW_SAMPLES = 16;
/** Bytes examined one by one for a delimiter. For these few, that takes less time than a call of the runtime. */
const NEAR_BYTES = 128;
/** Bytes of a key compared one by one. */
const FIRST_BYTES = 32;
/** A search examines the last bytes, up to this many, record by record: that takes fewer steps than halving them. */
const SCANNED_BYTES = 512;

export class TextRun implements Run, RandomAccess {
  readonly kind = 'resident';
  readonly memory: SharedArrayBuffer;
  readonly begin: Position;
  readonly end: Position;
  readonly release: () => void;
  private readonly text: Buffer;
  private readonly ordering: Ordering;
  /** Bytes of a record; 0 if a delimiter ends it. */
  private readonly size: number;
  private readonly delimiter: number;
  /** The length of a delimiter: 1 or 0. */
  private readonly tail: number;
  private readonly keyOffset: number;

  /** Bytes [begin, end) of `memory`: whole records in order. `release` is called when the run is released. */
  constructor(
    memory: SharedArrayBuffer,
    { begin, end }: { readonly begin: number; readonly end: number },
    ordering: Ordering,
    release: () => void = () => {},
  ) {
    const { format } = ordering;
    this.memory = memory;
    this.begin = { byte: begin };
    this.end = { byte: end };
    this.text = Buffer.from(memory, 0, end);
    this.ordering = ordering;
    this.size = format.kind === 'fixed' ? format.size : 0;
    this.delimiter = format.kind === 'lines' ? format.delimiter : -1;
    this.tail = format.kind === 'lines' ? 1 : 0;
    this.keyOffset = keyOffset(ordering);
    this.release = release;
  }

  async readAt(byte: number, target: Uint8Array): Promise<void> {
    target.set(this.text.subarray(byte, byte + target.length));
  }

  async record({ byte }: Position): Promise<Uint8Array> {
    return this.recordFrom(byte);
  }

  /** The record that begins at `start`, without its delimiter: a view of the memory. */
  recordFrom(start: number): Uint8Array {
    return this.text.subarray(start, this.recordEnd(start) - this.tail);
  }

  ends(from: Position, to: Position): Ends {
    return { first: this.recordFrom(from.byte), last: this.last(from, to) };
  }

  count({ byte: from }: Position, { byte: to }: Position): number {
    const { text, size, delimiter } = this;
    if (size > 0) return (to - from) / size;
    let found = 0;
    for (let at = from; at < to; at++) if (text[at] === delimiter) found++;
    return found;
  }

  /** The last record of [from, to), which must not be empty. */
  last({ byte: from }: Position, { byte: to }: Position): Uint8Array {
    const { text, size, delimiter } = this;
    const begin = size > 0 ? to - size : from + text.subarray(from, to - 1).lastIndexOf(delimiter) + 1;
    return text.subarray(begin, to - this.tail);
  }

  /** Whether all records of [from, end) have the same key. */
  isOneKey({ byte }: Position): boolean {
    const first = this.recordFrom(byte);
    const bytes = first.length + this.tail;
    const end = this.end.byte;
    // Usually the records are identical: then the text equals itself shifted by one record.
    if (this.text.compare(this.text, byte, end - bytes, byte + bytes, end) === 0) return true;
    for (let start = byte; start < end; start = this.recordEnd(start))
      if (compareRecords(this.ordering, first, this.recordFrom(start)) !== 0) return false;
    return true;
  }

  async sample(from: Position, to: Position, most: number): Promise<SampledRecord[]> {
    const bytes = to.byte - from.byte;
    const samples: SampledRecord[] = [];
    if (bytes <= 0) return samples;
    const count = Math.min(most, Math.max(FEW_SAMPLES, Math.floor(bytes / SAMPLE_SPACING)));
    let last = from.byte;
    for (let i = 1; i <= count; i++) {
      const start = this.startFrom(Math.max(last + 1, from.byte + Math.floor((bytes * i) / (count + 1))));
      if (start >= to.byte) break;
      samples.push(this.sampleAt(start));
      last = start;
    }
    if (samples.length > 0) return samples;
    const second = this.recordEnd(from.byte);
    return [this.sampleAt(second < to.byte ? second : from.byte)];
  }

  async cut(from: Position, to: Position, records: readonly Uint8Array[]): Promise<Bounds[]> {
    const bounds: Bounds[] = [];
    let begin = from.byte;
    for (const record of records) {
      const lower = this.bound(begin, to.byte, record, 0);
      // Few records have equals here, so the second search is rare.
      const found = lower < to.byte && compareRecords(this.ordering, this.recordFrom(lower), record) === 0;
      const upper = found ? this.bound(lower, to.byte, record, 1) : lower;
      bounds.push({ lower: { byte: lower }, upper: { byte: upper } });
      begin = lower;
      const due = rest();
      if (due !== undefined) await due;
    }
    return bounds;
  }

  private sampleAt(start: number): SampledRecord {
    const record = this.recordFrom(start);
    return { at: { byte: start }, head: new Uint8Array(sampleHead(this.ordering, record)), bytes: record.length };
  }

  /**
   * The first record in [from, to) that compares with `target` as at least `sign` (0: not before it, 1: after it);
   * otherwise `to`.
   */
  private bound(from: number, to: number, target: Uint8Array, sign: number): number {
    const key = keyOf(this.ordering, target);
    let low = from; // a record begins here; records before it lie before the bound
    let high = to; // no record that begins in [high, answer) lies before the bound
    let answer = to;
    // In a merge of many texts, most may begin after the target.
    if (low < high && this.compareAt(low, target, key) >= sign) return low;
    while (high - low > SCANNED_BYTES) {
      const middle = low + Math.floor((high - low) / 2);
      const start = this.startFrom(middle);
      if (start < high && this.compareAt(start, target, key) < sign) low = this.recordEnd(start);
      else {
        if (start < high) answer = start;
        high = middle;
      }
    }
    for (; low < high; low = this.recordEnd(low)) if (this.compareAt(low, target, key) >= sign) return low;
    return answer;
  }

  /**
   * Compares the record that begins at `byte` with `target`, whose key is `key`. Usually the first bytes decide, and
   * the record need not be extracted.
   */
  private compareAt(byte: number, target: Uint8Array, key: Uint8Array): number {
    const { text, ordering, delimiter } = this;
    const begin = byte + this.keyOffset;
    const most = isCollated(ordering) ? 0 : Math.min(key.length, FIRST_BYTES);
    for (let i = 0; i < most; i++) {
      const value = text[begin + i];
      // The line may end here.
      if (value === delimiter) break;
      if (value !== key[i]) return value < key[i] !== ordering.reverse ? -1 : 1;
    }
    return compareRecords(ordering, this.recordFrom(byte), target);
  }

  /**
   * The start of the first record at or after `byte`, which is after the first one's start; the end if there is none.
   */
  private startFrom(byte: number): number {
    const {
      begin: { byte: begin },
      size,
    } = this;
    return size > 0 ? begin + Math.ceil((byte - begin) / size) * size : this.recordEnd(byte - 1);
  }

  /** The end of the record that begins at `byte`; for lines, of the line that contains it. */
  private recordEnd(byte: number): number {
    const { text, size, delimiter } = this;
    if (size > 0) return byte + size;
    const near = Math.min(byte + NEAR_BYTES, text.length);
    for (let place = byte; place < near; place++) if (text[place] === delimiter) return place + 1;
    // A view, because the runtime searches only the first 2 GiB of a buffer.
    return near + text.subarray(near).indexOf(delimiter) + 1;
  }
}
