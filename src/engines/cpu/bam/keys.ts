/** The keys of sorted BAM records in shared memory, in a layout that the main thread and the tasks share. */

import { asBuffer } from '../../../system/memory.js';

/** The keys of the records of a run. */
interface RunKeys {
  readonly count: number;
  /** Compares key `index` with key `other` of another run in the same order. Negative: key `index` comes first. */
  compare(index: number, others: this, other: number): number;
  /**
   * Where the entry of key `index` begins in the run's memory; 0: there are no entries. entryAt(count) is the end of
   * the last one.
   */
  entryAt(index: number): number;
}

/** Keys by coordinate: whole numbers. */
export class CoordinateKeys implements RunKeys {
  private readonly keys: Float64Array;

  constructor(keys: Float64Array) {
    this.keys = keys;
  }

  get count(): number {
    return this.keys.length;
  }

  compare(index: number, { keys }: CoordinateKeys, other: number): number {
    return this.keys[index] - keys[other];
  }

  entryAt(): number {
    return 0;
  }
}

/**
 * An entry has 8 bytes before its row. The last 4 of them hold its length up to the row's end
 * (kernels/wasm/bam/rows.ts).
 */
const ROW_AT = 8;
const SIZE_AT = 4;

/** Keys of any other order: rows of bytes in entries, one after another. */
class RowKeys implements RunKeys {
  private readonly bytes: Buffer;
  private readonly words: Uint32Array;
  private readonly begin: number;
  private readonly ends: Uint32Array;

  /** Entries from byte `begin` of `memory` on; `ends`: where each one ends, relative to `begin`. */
  constructor(memory: ArrayBufferLike, begin: number, ends: Uint32Array) {
    this.bytes = asBuffer(new Uint8Array(memory));
    this.words = new Uint32Array(memory);
    this.begin = begin;
    this.ends = ends;
  }

  get count(): number {
    return this.ends.length;
  }

  compare(index: number, others: RowKeys, other: number): number {
    const [at, otherAt] = [this.entryAt(index), others.entryAt(other)];
    const [end, otherEnd] = [at + this.words[(at + SIZE_AT) / 4], otherAt + others.words[(otherAt + SIZE_AT) / 4]];
    return this.bytes.compare(others.bytes, otherAt + ROW_AT, otherEnd, at + ROW_AT, end);
  }

  entryAt(index: number): number {
    return this.begin + (index === 0 ? 0 : this.ends[index - 1]);
  }
}

/** The index of a sorted text: the keys of its records, and where each record ends. */
export interface KeyIndex {
  readonly keys: RunKeys;
  readonly ends: Uint32Array;
}

/** Bytes of a key by coordinate, and of an end. */
const KEY_BYTES = 8;
const END_BYTES = 4;

/** Bytes of the coordinate keys of `records` records. Their ends follow. */
export const coordinateKeyBytes = (records: number): number => records * KEY_BYTES;

/** Bytes of the index of `records` records by coordinate. */
export const coordinateIndexBytes = (records: number): number => records * (KEY_BYTES + END_BYTES);

/**
 * The index of `records` records at byte `at` of a memory, a multiple of 8, as the kernels write it. `hasRows`: their
 * keys are rows.
 */
export function indexAt(hasRows: boolean, memory: ArrayBufferLike, at: number, records: number): KeyIndex {
  if (!hasRows)
    return {
      keys: new CoordinateKeys(new Float64Array(memory, at, records)),
      ends: new Uint32Array(memory, at + KEY_BYTES * records, records),
    };
  const entryEnds = new Uint32Array(memory, at + END_BYTES * records, records);
  const keys = new RowKeys(memory, at + 2 * END_BYTES * records, entryEnds);
  return { keys, ends: new Uint32Array(memory, at, records) };
}
