/**
 * A run of text in shared memory, without an index. A record is found by looking for a delimiter from any byte.
 * Positions count bytes only (index = byte).
 */
import type { Bounds, Position, SampledRecord, StoredRun } from '../engines/contract.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { delimiterBytes, type RecordFinder, recordFinder } from '../records/record-finder.js';
import { rest } from '../system/promises.js';
import { sampleHead } from './run-index.js';

/** The position before the record that begins at `byte`, in a run that counts bytes only. */
export const at = (byte: number): Position => ({ index: byte, byte });

export class TextRun implements StoredRun {
  readonly kind = 'stored';
  readonly memory: SharedArrayBuffer;
  readonly end: Position;
  private readonly text: Buffer;
  /** Where the first record begins. */
  private readonly begin: number;
  private readonly ordering: Ordering;
  private readonly finder: RecordFinder;

  /** Bytes [begin, end) of `memory`: whole records in order. */
  constructor(memory: SharedArrayBuffer, begin: number, end: number, ordering: Ordering) {
    this.memory = memory;
    this.begin = begin;
    this.end = at(end);
    this.text = Buffer.from(memory, 0, end);
    this.ordering = ordering;
    this.finder = recordFinder(ordering.format);
  }

  async readAt(byte: number, target: Uint8Array): Promise<void> {
    target.set(this.text.subarray(byte, byte + target.length));
  }

  async record({ byte }: Position): Promise<Uint8Array> {
    return this.recordFrom(byte);
  }

  /** The record that begins at `start`, without its delimiter. */
  recordFrom(start: number): Uint8Array {
    const view = this.text.subarray(start);
    return view.subarray(0, this.finder.firstEnd(view, start - this.begin) - delimiterBytes(this.finder));
  }

  /** The last record of [from, to), which must not be empty. */
  last({ byte: from }: Position, { byte: to }: Position): Uint8Array {
    const { text, finder } = this;
    if (finder.delimiter === null) return text.subarray(to - finder.firstEnd(text.subarray(from), 0), to);
    return text.subarray(from + Math.max(0, finder.lastEnd(text.subarray(from, to - 1), 0)), to - 1);
  }

  /** Whether [from, to) is one record. */
  isOneRecord(from: Position, to: Position): boolean {
    return this.recordFrom(from.byte).length + delimiterBytes(this.finder) === to.byte - from.byte;
  }

  /** Whether all records of [from, end) have the same key. */
  isOneKey({ byte }: Position): boolean {
    const first = this.recordFrom(byte);
    const bytes = first.length + delimiterBytes(this.finder);
    const end = this.end.byte;
    // Usually they are identical: then the text equals itself shifted by one record.
    if (this.text.compare(this.text, byte, end - bytes, byte + bytes, end) === 0) return true;
    for (let start = byte; start < end; ) {
      const record = this.recordFrom(start);
      if (compareRecords(this.ordering, first, record) !== 0) return false;
      start += record.length + delimiterBytes(this.finder);
    }
    return true;
  }

  async sample(from: Position, to: Position, count: number): Promise<SampledRecord[]> {
    const samples: SampledRecord[] = [];
    let last = from.byte;
    for (let i = 1; i <= count; i++) {
      const target = Math.max(last + 1, from.byte + Math.floor(((to.byte - from.byte) * i) / (count + 1)));
      const start = this.startFrom(target, to.byte);
      if (start >= to.byte) break;
      samples.push(this.sampleAt(start));
      last = start;
    }
    if (samples.length === 0 && from.byte < to.byte) samples.push(this.sampleAt(from.byte));
    return samples;
  }

  async cut(from: Position, to: Position, records: readonly Uint8Array[]): Promise<Bounds[]> {
    const { ordering } = this;
    const bounds: Bounds[] = [];
    let begin = from.byte;
    for (const record of records) {
      const lower = this.search(begin, to.byte, (other) => compareRecords(ordering, other, record) >= 0);
      // Few records have equals here, so the second search is rare.
      const found = lower < to.byte && compareRecords(ordering, this.recordFrom(lower), record) === 0;
      const upper = found ? this.search(lower, to.byte, (other) => compareRecords(ordering, other, record) > 0) : lower;
      bounds.push({ lower: at(lower), upper: at(upper) });
      begin = lower;
      const due = rest();
      if (due !== undefined) await due;
    }
    return bounds;
  }

  /** The memory belongs to its owner. */
  release(): void {}

  private sampleAt(start: number): SampledRecord {
    const record = this.recordFrom(start);
    return { at: at(start), head: new Uint8Array(sampleHead(this.ordering, record)), bytes: record.length };
  }

  /** The first record in [from, to) for which `beyond` is true (and stays true after it), or `to`. */
  private search(from: number, to: number, beyond: (record: Uint8Array) => boolean): number {
    let low = from; // a record begins here; records before it are not beyond
    let high = to; // records that begin at or after it are decided
    let answer = to;
    while (low < high) {
      const middle = low + ((high - low) >>> 1);
      const start = middle === low ? low : this.startFrom(middle, high);
      if (start < high) {
        const record = this.recordFrom(start);
        if (!beyond(record)) {
          low = start + record.length + delimiterBytes(this.finder);
          continue;
        }
        answer = start;
      }
      high = middle;
    }
    return answer;
  }

  /** The start of the first record at or after `byte` (not 0); `limit` or more if there is none. */
  private startFrom(byte: number, limit: number): number {
    const end = this.finder.firstEnd(this.text.subarray(byte - 1), byte - 1 - this.begin);
    return end < 0 ? limit : byte - 1 + end;
  }
}
