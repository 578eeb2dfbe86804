/** A run of sized records in shared memory whose keys lie apart from them, in entries. */
import type { Bounds, Ends, Position, Run, SampledRecord } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { sampleHead } from './run-index.js';

const BLOCK = 16;
const HEAD = 8;

export interface EntryPosition extends Position {
  /** Offset of the entry, and number of the record. */
  readonly entry: number;
  readonly number: number;
}

export interface EntryPlace {
  readonly memory: SharedArrayBuffer;
  readonly begin: number;
  readonly bytes: number;
  readonly entriesAt: number;
  readonly entryBytes: number;
  readonly indexAt: number;
  readonly records: number;
}

export class EntryRun implements Run {
  readonly kind = 'resident';
  readonly memory: SharedArrayBuffer;
  readonly begin: EntryPosition;
  readonly end: EntryPosition;
  readonly release: () => void;
  readonly place: EntryPlace;
  private readonly entries: Buffer;
  private readonly view: DataView;
  private readonly index: Uint32Array;
  private readonly ordering: Ordering;
  private stride = 1;

  constructor(place: EntryPlace, ordering: Ordering, release: () => void) {
    const { memory, begin, bytes, entriesAt, entryBytes, indexAt, records } = place;
    this.place = place;
    this.memory = memory;
    this.begin = { byte: begin, entry: 0, number: 0 };
    this.end = { byte: begin + bytes, entry: entryBytes, number: records };
    this.entries = Buffer.from(memory, entriesAt, entryBytes);
    this.view = new DataView(memory, entriesAt, entryBytes);
    this.index = new Uint32Array(memory, indexAt, 2 * Math.ceil(records / BLOCK));
    this.ordering = ordering;
    this.release = release;
  }

  plainBytes({ byte: from }: Position, { byte: to }: Position): number {
    return to - from;
  }

  count(from: Position, to: Position): number {
    return (to as EntryPosition).number - (from as EntryPosition).number;
  }

  async record(at: Position): Promise<Uint8Array> {
    return this.entryAt((at as EntryPosition).entry);
  }

  ends(from: Position, to: Position): Ends {
    const { number } = to as EntryPosition;
    return { first: this.entryAt((from as EntryPosition).entry), last: this.entryAt(this.positionOf(number - 1).entry) };
  }

  async sample(from: Position, to: Position, most: number, phase = 0.5): Promise<SampledRecord[]> {
    const [a, b] = [from as EntryPosition, to as EntryPosition];
    const samples: SampledRecord[] = [];
    const records = b.number - a.number;
    if (records === 0) return samples;
    const count = Math.min(most, Math.max(1, records >> 2));
    let last = a.number;
    for (let i = 0; i < count; i++) {
      let number = a.number + Math.floor((records * (i + phase)) / count);
      const block = (number >> 4) << 4;
      if (block > last) number = block;
      if (number <= last) continue;
      const at = this.positionOf(number);
      samples.push(this.sampleAt(at));
      last = number;
    }
    if (samples.length > 0) return samples;
    return [this.sampleAt(records > 1 ? this.positionOf(a.number + 1) : a)];
  }

  async cut(from: Position, to: Position, records: readonly Uint8Array[]): Promise<Bounds<EntryPosition>[]> {
    const bounds: Bounds<EntryPosition>[] = [];
    let begin = from as EntryPosition;
    for (const record of records) {
      const lower = this.bound(record, 0, begin, to as EntryPosition);
      const isEqual = lower.number < (to as EntryPosition).number && this.compareAt(lower.entry, record) === 0;
      bounds.push({ lower, upper: isEqual ? this.bound(record, 1, lower, to as EntryPosition) : lower });
      begin = lower;
    }
    return bounds;
  }

  private sampleAt(at: EntryPosition): SampledRecord {
    const record = this.entryAt(at.entry);
    return { at, head: new Uint8Array(sampleHead(this.ordering, record)), bytes: record.length };
  }

  private bound(target: Uint8Array, sign: 0 | 1, from: EntryPosition, to: EntryPosition): EntryPosition {
    if (from.number === to.number || this.compareAt(from.entry, target) >= sign) return from;
    const { index } = this;
    // Blocks in [low, high): the first record of `low` - 1 or earlier is before the bound.
    let low = (from.number >> 4) + 1;
    let high = (to.number + 15) >> 4;
    let step = this.stride;
    let middle = low + step - 1;
    while (low < high) {
      if (middle >= high) middle = high - 1;
      if (this.compareAt(index[2 * middle], target) < sign) {
        low = middle + 1;
        middle += step;
        step *= 2;
      } else {
        high = middle;
        break;
      }
    }
    while (low < high) {
      middle = (low + high) >> 1;
      if (this.compareAt(index[2 * middle], target) < sign) low = middle + 1;
      else high = middle;
    }
    this.stride = Math.max(1, low - 1 - (from.number >> 4));
    const block = low - 1;
    const { view } = this;
    const isFrom = from.number >= block << 4;
    let number = isFrom ? from.number : block << 4;
    let entry = isFrom ? from.entry : index[2 * block];
    let byte = isFrom ? from.byte : this.begin.byte + index[2 * block + 1];
    while (number < to.number && this.compareAt(entry, target) < sign) {
      const key = view.getUint32(entry + 4, true);
      byte += view.getUint32(entry, true) - 4 - key;
      entry += HEAD + key;
      number++;
    }
    return { byte, entry, number };
  }

  private compareAt(entry: number, target: Uint8Array): number {
    const { entries, ordering } = this;
    const most = Math.min(40, target.length);
    for (let i = HEAD; i < most; i++) {
      const value = entries[entry + i];
      if (value !== target[i]) return value < target[i] !== ordering.reverse ? -1 : 1;
    }
    return compareRecords(ordering, this.entryAt(entry), target);
  }

  private entryAt(entry: number): Uint8Array {
    return this.entries.subarray(entry, entry + HEAD + this.view.getUint32(entry + 4, true));
  }

  private positionOf(wanted: number): EntryPosition {
    if (wanted === this.end.number) return this.end;
    const { view, index } = this;
    const block = wanted >> 4;
    let number = block << 4;
    let entry = index[2 * block];
    let byte = this.begin.byte + index[2 * block + 1];
    while (number < wanted) {
      const key = view.getUint32(entry + 4, true);
      byte += view.getUint32(entry, true) - 4 - key;
      entry += HEAD + key;
      number++;
    }
    return { byte, entry, number };
  }
}
