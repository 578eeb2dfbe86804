/**
 * A table of distinct records and how often each occurred, in the memory of a thread (kernels/wasm/cpu/repeats.ts). It
 * copies the records, so the text that they come from need not stay. Knows no order.
 */
import { internalError } from '../../../system/errors.js';
import { copyBytes } from '../../../system/memory.js';
import type { Resumable } from '../../../system/resumable.js';
import { type CpuKernels, copyIn, copyOut, layOut, STEP_RECORDS } from '../kernels.js';

/** What a table may hold: half as many distinct records as it has entries, a power of two, and bytes of these. */
export interface TableLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** Distinct records, with their delimiters, and the count of each (64 bits), in the order of their first occurrences. */
export interface TableContent {
  readonly text: SharedArrayBuffer;
  readonly counts: SharedArrayBuffer;
}

const ENTRY_BYTES = 16;
const COUNT_BYTES = 8;
/** A table begins small, because its first entries are then in the cache, and grows by this factor. */
const LEAST_ENTRIES = 2 ** 12;
const GROWTH = 4;

/** The sizes of a table that grows to `entries` entries. Each has a place of its own. */
function sizesUpTo(entries: number): number[] {
  const sizes: number[] = [];
  for (let size = entries; size > LEAST_ENTRIES; size = Math.ceil(size / GROWTH)) sizes.unshift(size);
  return [Math.min(entries, LEAST_ENTRIES), ...sizes];
}

export class CountTable {
  /** The first address after the table and its copies. */
  readonly free: number;
  private readonly kernels: CpuKernels;
  /** Sizes and addresses of the larger tables that it may become. */
  private readonly larger: { readonly entries: number; readonly at: number }[];
  private readonly heap: number;

  constructor(kernels: CpuKernels, { entries, bytes }: TableLimits) {
    this.kernels = kernels;
    const sizes = sizesUpTo(entries);
    const places = layOut(kernels, [...sizes.map((size) => size * ENTRY_BYTES), bytes, 0]);
    this.larger = sizes.map((size, i) => ({ entries: size, at: places[i] }));
    const first = this.larger.shift()!;
    this.heap = places[sizes.length];
    this.free = places[sizes.length + 1];
    kernels.openCopies(first.at, first.entries, this.heap, bytes);
  }

  /** The bytes of the distinct records. */
  get bytes(): number {
    return this.kernels.copiesEnd() - this.heap;
  }

  /**
   * Counts the records in [begin, end). Returns where the first one begins that is not counted, because the table is
   * full.
   */
  *count(begin: number, end: number): Resumable<number> {
    while (begin < end) {
      const next = this.kernels.countRecords(begin, end, STEP_RECORDS);
      if (next === begin && !this.grow()) break;
      begin = next;
      yield;
    }
    return begin;
  }

  /** The distinct records and their counts. */
  *take(): Resumable<TableContent> {
    const { kernels, heap } = this;
    const end = kernels.copiesEnd();
    const countsBytes = kernels.distinctRecords() * COUNT_BYTES;
    const [place] = layOut(kernels, [countsBytes], this.free);
    for (let from = heap, at = place; from < end; at += STEP_RECORDS * COUNT_BYTES) {
      from = kernels.writeCounts(from, end, STEP_RECORDS, at);
      yield;
    }
    const content = { text: new SharedArrayBuffer(end - heap), counts: new SharedArrayBuffer(countsBytes) };
    copyOut(kernels, heap, end, new Uint8Array(content.text));
    copyOut(kernels, place, place + countsBytes, new Uint8Array(content.counts));
    return content;
  }

  /** Adds what another table held. */
  *add({ text, counts }: TableContent): Resumable<void> {
    const { kernels } = this;
    const [from, added] = layOut(kernels, [text.byteLength, counts.byteLength], this.free);
    const end = from + text.byteLength;
    copyIn(kernels, new Uint8Array(text), from);
    copyIn(kernels, new Uint8Array(counts), added);
    kernels.openAdded(added);
    for (let begin = from; begin < end; ) {
      const next = kernels.countRecords(begin, end, STEP_RECORDS);
      if (next === begin && !this.grow())
        throw internalError('a table of counts is too small for those of the threads');
      begin = next;
      yield;
    }
  }

  /** Returns a function that copies the next whole distinct records to its target, and returns their bytes. */
  distinct(delimiter: number): (target: Uint8Array) => number {
    const { kernels, heap } = this;
    let at = heap;
    return (target) => {
      const left = heap + this.bytes - at;
      const text = Buffer.from(kernels.memory.buffer, at, Math.min(left, target.length));
      const bytes = text.lastIndexOf(delimiter) + 1;
      copyBytes(text.subarray(0, bytes), target);
      at += bytes;
      return bytes;
    };
  }

  /** The same for all records, each as often as it occurred. No record has more than `most` bytes. */
  all(most: number): (target: Uint8Array) => number {
    const { kernels, heap } = this;
    const end = heap + this.bytes;
    const [place] = layOut(kernels, [most], this.free);
    let from = heap;
    return (target) => {
      let filled = 0;
      for (let isFull = false; from < end && !isFull; ) {
        kernels.openOutput(place, 0);
        from = kernels.repeatRecords(from, end, place + Math.min(most, target.length - filled));
        const bytes = kernels.outputEnd() - place;
        copyBytes(new Uint8Array(kernels.memory.buffer, place, bytes), target, filled);
        filled += bytes;
        isFull = bytes === 0;
      }
      return filled;
    };
  }

  /** How often each of some whole records occurred, 8 bytes each, until the memory changes. */
  countsOf(records: Uint8Array): Uint8Array {
    const { kernels } = this;
    // A record has at least one byte.
    const [from, place] = layOut(kernels, [records.length, records.length * COUNT_BYTES], this.free);
    copyIn(kernels, records, from);
    let count = 0;
    for (let at = from; at < from + records.length; count += STEP_RECORDS)
      at = kernels.writeCounts(at, from + records.length, STEP_RECORDS, place + count * COUNT_BYTES);
    return new Uint8Array(kernels.memory.buffer, place, Math.min(count, records.length) * COUNT_BYTES);
  }

  /** Moves the entries to a larger table. Returns false if it may grow no further. */
  private grow(): boolean {
    const next = this.larger.shift();
    if (next !== undefined) this.kernels.growTable(next.at, next.entries);
    return next !== undefined;
  }
}
