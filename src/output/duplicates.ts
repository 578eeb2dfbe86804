/**
 * --dupes-output and --unique=last: of adjacent records with equal keys, passes the first or the last one to one writer
 * and the others to a second writer. For groups (groups.ts), it passes the first few records to the first writer. Under
 * normalized keys it takes keyed lines and writes lines without keys (kernels/wasm/keys/records/duplicates.ts).
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
  splitLast(from: number, to: number, ends: number): void;
  endLast(ends: number): void;
  holdFirst(at: number): void;
}

/** The maximum number of records of a key that the kernel can count. */
const MOST_COUNTED = 2 ** 32 - 1;

/** The records of each key that are kept: as many of the first ones, or the last one. */
export type KeptOfEqual = number | 'last';

/** The filter for the records of `ordering`, in which equal keys are adjacent. The kept records go to `kept`. */
export function splitEqual(ordering: Ordering, kept: BlockWriter, others: BlockWriter, keeps: KeptOfEqual = 1): Filter {
  const writers = [new WriteBehind(kept), new WriteBehind(others)] as const;
  return isCollated(ordering)
    ? oneByOne(new CollatedSplitter(ordering, writers, keeps))
    : dividingEqual(ordering, new DuplicateSplitter(ordering, writers, keeps));
}

type Writers = readonly [kept: WriteBehind, others: WriteBehind];

class DuplicateSplitter implements EqualDivider {
  readonly memory = newMemory();
  readonly kernels = openKeyKernels<SplitEqualKernels>(compileKeyKernels(), this.memory);
  readonly free: number;
  readonly tooLong = {
    work: 'comparing a line',
    hint: 'Shorten the line: --dupes-output and --per take lines of up to 1023 MiB, --unique=last of up to 682 MiB.',
  };
  private readonly writers: Writers;
  private readonly keepsLast: boolean;
  /** Addresses: of the table of result ends, and of the beginning of each result. */
  private readonly table: number;
  private begins: readonly [number, number] = [0, 0];

  constructor(ordering: Ordering, writers: Writers, keeps: KeptOfEqual) {
    const { format } = ordering;
    this.writers = writers;
    this.keepsLast = keeps === 'last';
    const most = keeps === 'last' ? 1 : keeps;
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
    // A result that is almost large enough to be written must still have room for all records of a batch, and for a
    // last record that was held.
    const room = WRITTEN_BYTES + (this.keepsLast ? 2 : 1) * most + KERNEL_SLACK;
    this.begins = [begin, begin + room];
    new Uint32Array(this.memory.buffer, this.table, 2).set(this.begins);
    return begin + 2 * room;
  }

  async divide(from: number, to: number): Promise<void> {
    if (this.keepsLast) this.kernels.splitLast(from, to, this.table);
    else this.kernels.splitEqual(from, to, this.table);
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
    if (this.keepsLast) this.kernels.endLast(this.table);
    await this.flush();
    await allOver(this.writers.map((writer) => writer.ended()));
  }
}

class CollatedSplitter {
  private readonly writers: Writers;
  private readonly neighbors: CollatedNeighbors;
  private readonly keeps: KeptOfEqual;
  /** The lines with the current key so far. */
  private count = 0;
  /** The line before the next one, if the last one is kept. */
  private held: Buffer | null = null;

  constructor(ordering: Ordering, writers: Writers, keeps: KeptOfEqual) {
    this.writers = writers;
    this.keeps = keeps;
    this.neighbors = new CollatedNeighbors(ordering);
  }

  async take(block: Uint8Array): Promise<void> {
    const results: readonly Uint8Array[][] = [[], []];
    for (const { line, isFirst } of this.neighbors.of(block)) {
      if (this.keeps === 'last') {
        if (this.held !== null) results[isFirst ? 0 : 1].push(this.held);
        this.held = line;
      } else {
        this.count = isFirst ? 1 : this.count + 1;
        results[this.count > this.keeps ? 1 : 0].push(line);
      }
    }
    this.held = this.held && Buffer.from(this.held);
    for (const [i, lines] of results.entries()) if (lines.length > 0) await this.writers[i].begin(Buffer.concat(lines));
  }

  async finish(): Promise<void> {
    if (this.held !== null) await this.writers[0].begin(this.held);
    await allOver(this.writers.map((writer) => writer.ended()));
  }
}
