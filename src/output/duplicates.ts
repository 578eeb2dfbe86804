/**
 * --dupes-output: of adjacent records with equal keys, passes the first one to one writer and the others to a second
 * writer. For groups (groups.ts), it passes the first few records to the first writer. Under normalized keys it takes
 * keyed lines and writes lines without keys (kernels/wasm/keys/records/duplicates.ts).
 */

import type { BlockWriter } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { isKeyed } from '../keys/keyed.js';
import { keyBytesAsRead } from '../keys/record-encoding.js';
import { growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { allOver } from '../system/promises.js';
import { dividingEqual, type EqualDivider, WRITTEN_BYTES } from './equal-batches.js';
import { CollatedNeighbors } from './equal-collated.js';
import { type Filter, oneByOne, WriteBehind } from './filter.js';

/** Bytes of the table of result ends, and of an entry that gives a range of key bytes. */
const ENDS_BYTES = 8;
const RANGE_BYTES = 8;

interface SplitEqualKernels {
  firstFree(): number;
  setDelimiter(delimiter: number): void;
  openSplit(most: number, keyed: number, size: number, ranges: number, count: number): void;
  splitEqual(from: number, to: number, ends: number): void;
  holdFirst(at: number): void;
}

/** The maximum number of records of a key that the kernel can count. */
const MOST_COUNTED = 2 ** 32 - 1;

/**
 * The filter for the records of `ordering`, in which equal keys are adjacent. `most`: the number of records of each key
 * that go to `first`.
 */
export function splitEqual(ordering: Ordering, first: BlockWriter, others: BlockWriter, most = 1): Filter {
  const writers = [new WriteBehind(first), new WriteBehind(others)] as const;
  return isCollated(ordering)
    ? oneByOne(new CollatedSplitter(ordering, writers, most))
    : dividingEqual(ordering, new DuplicateSplitter(ordering, writers, most));
}

type Writers = readonly [first: WriteBehind, others: WriteBehind];

class DuplicateSplitter implements EqualDivider {
  readonly memory = newMemory();
  readonly kernels = openKeyKernels<SplitEqualKernels>(compileKeyKernels(), this.memory);
  readonly free: number;
  readonly tooLong = {
    work: 'comparing a line',
    hint: 'Shorten the line: --dupes-output and --per take lines of up to 1023 MiB.',
  };
  private readonly writers: Writers;
  /** Addresses: of the table of result ends, and of the beginning of each result. */
  private readonly table: number;
  private begins: readonly [number, number] = [0, 0];

  constructor(ordering: Ordering, writers: Writers, most: number) {
    const { format } = ordering;
    this.writers = writers;
    this.table = Math.ceil(this.kernels.firstFree() / ENDS_BYTES) * ENDS_BYTES;
    const ranges = format.kind === 'fixed' ? keyBytesAsRead(ordering, format.size) : [];
    const rangeTable = this.table + ENDS_BYTES;
    this.free = rangeTable + ranges.length * RANGE_BYTES;
    growTo(this.memory, this.free);
    new Uint32Array(this.memory.buffer, rangeTable).set(ranges.flatMap(({ offset, length }) => [offset, length]));
    if (format.kind === 'lines') this.kernels.setDelimiter(format.delimiter);
    const size = format.kind === 'fixed' ? format.size : 0;
    this.kernels.openSplit(Math.min(most, MOST_COUNTED), Number(isKeyed(ordering)), size, rangeTable, ranges.length);
  }

  layOut(begin: number, most: number): number {
    // A result that is almost large enough to be written must still have room for all records of a batch.
    const room = WRITTEN_BYTES + most + KERNEL_SLACK;
    this.begins = [begin, begin + room];
    new Uint32Array(this.memory.buffer, this.table, 2).set(this.begins);
    return begin + 2 * room;
  }

  async divide(from: number, to: number): Promise<void> {
    this.kernels.splitEqual(from, to, this.table);
    await this.flush(WRITTEN_BYTES);
  }

  /** Begins to write the results that have at least `least` bytes. */
  async flush(least = 1): Promise<void> {
    const ends = new Uint32Array(this.memory.buffer, this.table, 2);
    for (const [i, begin] of this.begins.entries()) {
      if (ends[i] - begin < least) continue;
      const block = Buffer.from(new Uint8Array(this.memory.buffer, begin, ends[i] - begin));
      ends[i] = begin;
      await this.writers[i].begin(block);
    }
  }

  async finish(): Promise<void> {
    await this.flush();
    await allOver(this.writers.map((writer) => writer.ended()));
  }
}

class CollatedSplitter {
  private readonly writers: Writers;
  private readonly neighbors: CollatedNeighbors;
  private readonly most: number;
  /** The lines with the current key so far. */
  private count = 0;

  constructor(ordering: Ordering, writers: Writers, most: number) {
    this.writers = writers;
    this.most = most;
    this.neighbors = new CollatedNeighbors(ordering);
  }

  async take(block: Uint8Array): Promise<void> {
    const results: readonly Uint8Array[][] = [[], []];
    for (const { line, isFirst } of this.neighbors.of(block)) {
      this.count = isFirst ? 1 : this.count + 1;
      results[this.count > this.most ? 1 : 0].push(line);
    }
    for (const [i, lines] of results.entries()) if (lines.length > 0) await this.writers[i].begin(Buffer.concat(lines));
  }

  async finish(): Promise<void> {
    await allOver(this.writers.map((writer) => writer.ended()));
  }
}
