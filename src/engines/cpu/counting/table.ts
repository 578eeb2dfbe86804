/**
 * A table of distinct records and how often each occurred, in the memory of a thread (kernels/wasm/cpu/repeats.ts). It
 * copies the records, so the text that they come from need not stay. Knows no order.
 */

import type { CountingLimits } from '../../../contract/engine.js';
import { internalError } from '../../../system/errors.js';
import { copyBytes } from '../../../system/memory.js';
import type { Resumable } from '../../../system/resumable.js';
import { type CpuKernels, copyIn, copyOut, FORM, layOut, STEP_RECORDS } from '../kernels.js';

/** Distinct records, with delimiters, and the count of each (64 bits), in the order of their first occurrences. */
export interface TableContent {
  readonly text: SharedArrayBuffer;
  readonly counts: SharedArrayBuffer;
}

const ENTRY_BYTES = 16;
const COUNT_BYTES = 8;
/** Two numbers of 4 bytes for each part that a table is divided into. */
const PART_BYTES = 8;
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
  /** Sizes and addresses of the larger tables that it may grow into. */
  private readonly larger: { readonly entries: number; readonly at: number }[];
  private readonly heap: number;

  constructor(kernels: CpuKernels, { entries, bytes }: CountingLimits) {
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
   * Counts the records in [begin, end). Returns where the first record begins that was not counted, because the table
   * is full; otherwise `end`.
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

  /**
   * Removes and returns the distinct records and their counts, in `parts` parts: a power of two. Tables with the same
   * seed put equal records into the same part.
   */
  *take(parts = 1): Resumable<TableContent[]> {
    const { kernels, heap } = this;
    const end = kernels.copiesEnd();
    const countsBytes = kernels.distinctRecords() * COUNT_BYTES;
    const [counts] = layOut(kernels, [countsBytes], this.free);
    for (let from = heap, at = counts; from < end; at += STEP_RECORDS * COUNT_BYTES) {
      from = kernels.takeCounts(from, end, STEP_RECORDS, at);
      yield;
    }
    const sizes = [end - heap, countsBytes];
    return parts === 1
      ? [contentAt(kernels, [heap, counts], sizes)]
      : yield* this.divided(parts, counts, counts + countsBytes);
  }

  /** The distinct records and the counts at `counts`, in parts. `free`: the first address after the counts. */
  private *divided(parts: number, counts: number, free: number): Resumable<TableContent[]> {
    const { kernels, heap } = this;
    const end = kernels.copiesEnd();
    const shift = 32 - Math.log2(parts);
    const [heads] = layOut(kernels, [parts * PART_BYTES], free);
    const numbers = (): Uint32Array => new Uint32Array(kernels.memory.buffer, heads, (parts * PART_BYTES) / 4);
    numbers().fill(0);
    for (let from = heap; from < end; ) {
      from = kernels.measureParts(from, end, STEP_RECORDS, heads, shift);
      yield;
    }
    const sizes = Array.from(numbers(), (size, i) => (i % 2 === 0 ? size : size * COUNT_BYTES));
    const places = layOut(kernels, sizes, heads + parts * PART_BYTES);
    numbers().set(places);
    for (let from = heap, at = counts; from < end; at += STEP_RECORDS * COUNT_BYTES) {
      from = kernels.moveToParts(from, end, STEP_RECORDS, heads, shift, at);
      yield;
    }
    return Array.from({ length: parts }, (_, part) =>
      contentAt(kernels, places.slice(2 * part), sizes.slice(2 * part)),
    );
  }

  /** Adds the content of another table. */
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
    kernels.openAdded(0);
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

  /**
   * How often each of some whole records occurred, 8 bytes each. The result is 1 for records that were not counted, and
   * for counted ones that are asked for again.
   */
  countsOf(records: Uint8Array): Uint8Array {
    const { kernels } = this;
    const [counts, from] = layOut(kernels, [STEP_RECORDS * COUNT_BYTES, records.length], this.free);
    copyIn(kernels, records, from);
    const end = from + records.length;
    const steps: Buffer[] = [];
    for (let at = from; at < end; ) {
      at = kernels.takeCounts(at, end, STEP_RECORDS, counts);
      const bytes = kernels.countsTaken() * COUNT_BYTES;
      steps.push(Buffer.from(new Uint8Array(kernels.memory.buffer, counts, bytes)));
    }
    return Buffer.concat(steps);
  }

  /** Moves the entries to a larger table. Returns false if it may grow no further. */
  private grow(): boolean {
    const next = this.larger.shift();
    if (next !== undefined) this.kernels.growTable(next.at, next.entries);
    return next !== undefined;
  }
}

/** Copies a text and its counts, which have these addresses and sizes. */
function contentAt(kernels: CpuKernels, places: readonly number[], sizes: readonly number[]): TableContent {
  const [text, counts] = [0, 1].map((i) => {
    const copy = new SharedArrayBuffer(sizes[i]);
    copyOut(kernels, places[i], places[i] + sizes[i], new Uint8Array(copy));
    return copy;
  });
  return { text, counts };
}

/** The number of records in the content of several tables. */
export const recordsIn = (contents: readonly TableContent[]): number =>
  contents.reduce((sum, { counts }) => sum + counts.byteLength / COUNT_BYTES, 0);

/** The bytes of the records in the content of several tables. */
export const bytesIn = (contents: readonly TableContent[]): number =>
  contents.reduce((sum, { text }) => sum + text.byteLength, 0);

/** A table with the content of several tables. */
export function* unitedTable(kernels: CpuKernels, contents: readonly TableContent[]): Resumable<CountTable> {
  const table = new CountTable(kernels, limitsOf(contents));
  for (const content of contents) yield* table.add(content);
  return table;
}

/** The limits of a table for the content of several tables. */
function limitsOf(contents: readonly TableContent[]): CountingLimits {
  const records = recordsIn(contents);
  return {
    entries: 2 ** Math.ceil(Math.log2(Math.max(LEAST_ENTRIES, 2 * records))),
    bytes: bytesIn(contents),
  };
}

/**
 * Returns a function that copies the next records to its target, each as often as it occurred, and returns their bytes.
 * `most`: maximum bytes of a record.
 */
export function expanded(
  kernels: CpuKernels,
  contents: readonly TableContent[],
  most: number,
): (target: Uint8Array) => number {
  const left = contents.filter(({ text }) => text.byteLength > 0);
  let place = 0;
  let from = 0;
  let end = 0;
  const next = (): boolean => {
    const content = left.shift();
    if (content === undefined) return false;
    const { text, counts } = content;
    const [output, source, added] = layOut(kernels, [most, text.byteLength, counts.byteLength]);
    copyIn(kernels, new Uint8Array(text), source);
    copyIn(kernels, new Uint8Array(counts), added);
    kernels.openAdded(added);
    [place, from, end] = [output, source, source + text.byteLength];
    return true;
  };
  return (target) => {
    let filled = 0;
    while (from < end || next()) {
      kernels.openOutput(place, FORM.run);
      from = kernels.repeatRecords(from, end, place + Math.min(most, target.length - filled));
      const bytes = kernels.outputEnd() - place;
      copyBytes(new Uint8Array(kernels.memory.buffer, place, bytes), target, filled);
      filled += bytes;
      if (bytes === 0) break;
    }
    return filled;
  };
}
