/**
 * A run of text in shared memory: one of the CPU engine, or one in a window. A record is found by looking for a
 * delimiter from any byte. docs/history.md compares this with an index of every sixteenth record.
 */
import type { Bounds, Ends, Position, Run, SampledRecord } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords, keyOffset } from '../keys/compare.js';
import { keyLength } from '../keys/keyed.js';
import type { RandomAccess } from '../system/byte-source.js';
import { rest } from '../system/promises.js';
import { sampleHead } from './run-index.js';

/**
 * Minimum bytes per sample, apart from the first few samples. With 22 runs and ranges of 3 MiB, the sizes of ranges
 * then differ by 4 %. Each sample costs 2 us.
 */
const SAMPLE_SPACING = 128 << 10;
const FEW_SAMPLES = 16;
/** Bytes examined in words for a delimiter. For these few, that takes less time than a call of the runtime. */
const NEAR_BYTES = 512;
/** Bytes of a key compared one by one. */
const FIRST_BYTES = 32;
/** A search examines the last bytes, up to this many, record by record: that takes fewer steps than halving them. */
const SCANNED_BYTES = 512;

/** Bytes [begin, end) of a memory. */
export interface TextExtent {
  readonly begin: number;
  readonly end: number;
}

export class TextRun implements Run, RandomAccess {
  readonly kind = 'resident';
  readonly memory: SharedArrayBuffer;
  readonly begin: Position;
  readonly end: Position;
  readonly release: () => void;
  private readonly text: Buffer;
  /** The text as words of four bytes, up to the last whole one. */
  private readonly words: Int32Array;
  private readonly ordering: Ordering;
  /** Bytes of a record; 0 if a delimiter ends it. */
  private readonly size: number;
  private readonly delimiter: number;
  /** A word of four delimiters. */
  private readonly delimiters: number;
  /** The length of a delimiter: 1 or 0. */
  private readonly tail: number;
  private readonly keyOffset: number;
  /** The bytes between the last two bounds that were searched for. The next one is often as far away. */
  private stride = Infinity;

  /** Bytes [begin, end) of `memory`: whole records in order. `release` is called when the run is released. */
  constructor(
    memory: SharedArrayBuffer,
    { begin, end }: TextExtent,
    ordering: Ordering,
    release: () => void = () => {},
  ) {
    const { format } = ordering;
    this.memory = memory;
    this.begin = { byte: begin };
    this.end = { byte: end };
    this.text = Buffer.from(memory, 0, end);
    this.words = new Int32Array(memory, 0, Math.floor(end / 4));
    this.ordering = ordering;
    this.size = format.kind === 'fixed' ? format.size : 0;
    this.delimiter = format.kind === 'lines' ? format.delimiter : -1;
    this.delimiters = this.delimiter * 0x01010101;
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
    return this.text.subarray(this.lastBegin(from, to), to - this.tail);
  }

  /** Where the last record of [from, to) begins. */
  protected lastBegin(from: number, to: number): number {
    const { text, size, delimiter } = this;
    return size > 0 ? to - size : from + text.subarray(from, to - 1).lastIndexOf(delimiter) + 1;
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

  async sample(from: Position, to: Position, most: number, phase = 0.5): Promise<SampledRecord[]> {
    const bytes = to.byte - from.byte;
    const samples: SampledRecord[] = [];
    if (bytes <= 0) return samples;
    const count = Math.min(most, Math.max(FEW_SAMPLES, Math.floor(bytes / SAMPLE_SPACING)));
    let last = from.byte;
    for (let i = 0; i < count; i++) {
      const start = this.startFrom(Math.max(last + 1, from.byte + Math.floor((bytes * (i + phase)) / count)));
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
      const found = this.boundsOf(record, begin, to.byte);
      bounds.push(found);
      begin = found.lower.byte;
      const due = rest();
      if (due !== undefined) await due;
    }
    return bounds;
  }

  /** The bounds of the record's equals within [from, to). */
  private boundsOf(record: Uint8Array, from: number, to: number): Bounds {
    const start = this.bound(record, 0, from, to, this.stride);
    this.stride = Math.max(SCANNED_BYTES, start - from);
    const lower = { byte: start };
    // Few records have equals here, so the second search is rare, and short.
    if (start === to || this.compareAt(start, record) !== 0) return { lower, upper: lower };
    return { lower, upper: { byte: this.bound(record, 1, start, to, SCANNED_BYTES) } };
  }

  private sampleAt(start: number): SampledRecord {
    const record = this.recordFrom(start);
    return { at: { byte: start }, head: new Uint8Array(sampleHead(this.ordering, record)), bytes: record.length };
  }

  /**
   * The first record in [from, to) that compares with `target` as at least `sign` (0: not before it, 1: after it);
   * otherwise `to`. `guess`: how many bytes after `from` it may lie.
   */
  private bound(target: Uint8Array, sign: 0 | 1, from: number, to: number, guess: number): number {
    // In a merge of many texts, most may begin after the target.
    if (from === to || this.compareAt(from, target) >= sign) return from;
    let low = from; // a record that begins here lies before the bound
    let high = to; // no record that begins here or later lies before it
    // From the guess on, steps grow until the bound lies between two places. Then they halve.
    let middle = low + Math.min(guess, Math.floor((high - low) / 2));
    for (let step = Math.max(SCANNED_BYTES, Math.ceil(guess / 4)); high - low > SCANNED_BYTES; step *= 2) {
      const start = this.startFrom(middle);
      const isBefore = start < high && this.compareAt(start, target) < sign;
      if (isBefore) low = start;
      else high = middle;
      const next = Math.min(step, Math.floor((high - low) / 2));
      middle = isBefore ? low + next : high - next;
    }
    do low = this.recordEnd(low);
    while (low < high && this.compareAt(low, target) < sign);
    return low;
  }

  /**
   * Compares the record that begins at `byte` with `target`. Usually the first bytes of the keys decide, and the record
   * need not be extracted.
   */
  private compareAt(byte: number, target: Uint8Array): number {
    const { text, ordering, delimiter, keyOffset } = this;
    const most = keyOffset + Math.min(this.keyBytes(target), FIRST_BYTES);
    for (let i = keyOffset; i < most; i++) {
      const value = text[byte + i];
      // The line may end here.
      if (value === delimiter) break;
      if (value !== target[i]) return value < target[i] !== ordering.reverse ? -1 : 1;
    }
    return compareRecords(ordering, this.recordFrom(byte), target);
  }

  /** The length of `keyOf` a record, which may end within its key. */
  private keyBytes(record: Uint8Array): number {
    const { ordering, keyOffset } = this;
    const { key, lastResort } = ordering;
    if (key.kind === 'collated') return 0;
    if (key.kind === 'bytes') return key.length;
    const most = record.length - keyOffset;
    return key.kind === 'record' || lastResort ? most : Math.min(most, keyLength(ordering, record));
  }

  /**
   * The start of the first record at or after `byte`, which is after the first one's start; the end if there is none.
   */
  protected startFrom(byte: number): number {
    const {
      begin: { byte: begin },
      size,
    } = this;
    return size > 0 ? begin + Math.ceil((byte - begin) / size) * size : this.recordEnd(byte - 1);
  }

  /** The end of the record that begins at `byte`; for lines, of the line that contains it. */
  protected recordEnd(byte: number): number {
    return this.size > 0 ? byte + this.size : this.lineEnd(byte);
  }

  /** The place after the first delimiter from `byte` on. */
  private lineEnd(byte: number): number {
    const { text, words, delimiter, delimiters } = this;
    let place = byte;
    while (place % 4 > 0) if (text[place++] === delimiter) return place;
    for (const near = Math.min(place + NEAR_BYTES, 4 * words.length); place < near; place += 4)
      if (hasZero(words[place / 4] ^ delimiters)) break;
    for (const near = Math.min(place + 4, text.length); place < near; ) if (text[place++] === delimiter) return place;
    // A view, because the runtime searches only the first 2 GiB of a buffer.
    return place + text.subarray(place).indexOf(delimiter) + 1;
  }
}

/** Whether one of the four bytes is 0. https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord */
const hasZero = (word: number): boolean => ((word - 0x01010101) & ~word & 0x80808080) !== 0;
