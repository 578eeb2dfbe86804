/**
 * --dupes-output: of adjacent records with equal keys, passes the first one to one writer and the others to a second
 * one; for groups (groups.ts), the first few. Under normalized keys it takes keyed lines and writes lines without keys.
 * All input passes through here, so a kernel does the work (kernels/wasm/keys/duplicates.ts); it takes whole records.
 */

import type { BlockWriter } from '../engines/contract.js';
import type { Ordering } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { isKeyed } from '../keys/keyed.js';
import { keyBytesAsRead } from '../keys/record-encoding.js';
import { recordFinder } from '../records/record-finder.js';
import { WholeRecords } from '../records/whole-records.js';
import { formatBytes } from '../report/units.js';
import { GpusortError } from '../system/errors.js';
import { growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { allOver, rest } from '../system/promises.js';
import { type Filter, oneByOne } from './filter.js';
import { FirstCollated, linesIn } from './first-collated.js';

/** Records are split in batches that fit into a processor's cache. A longer record is a batch of its own. */
const BATCH_BYTES = 256 << 10;
/** The minimum bytes per write, except the last one. */
const WRITTEN_BYTES = 1 << 20;
/** Bytes of the table of where the results end, and of a range of key bytes. */
const ENDS_BYTES = 8;
const RANGE_BYTES = 8;
const MOST_BYTES = 2 ** 32 - 2 ** 17;

interface SplitKernels {
  firstFree(): number;
  setDelimiter(delimiter: number): void;
  openSplit(most: number, keyed: number, size: number, ranges: number, count: number): void;
  splitEqual(from: number, to: number, ends: number): void;
  holdFirst(at: number): void;
}

/** The most records of a key that the kernel can count. */
const MOST_COUNTED = 2 ** 32 - 1;

/**
 * The filter for the records of `ordering`, in which equal keys are adjacent. `most`: the number of records of each key
 * that go to `first`.
 */
export function splitEqual(ordering: Ordering, first: BlockWriter, others: BlockWriter, most = 1): Filter {
  const writers = [new LastWrite(first), new LastWrite(others)] as const;
  return oneByOne(
    isCollated(ordering) ? new CollatedSplitter(ordering, writers, most) : new Splitter(ordering, writers, most),
  );
}

type Writers = readonly [first: LastWrite, others: LastWrite];

/** A writer that begins one write while the next block is made. */
class LastWrite {
  private readonly write: BlockWriter;
  private writing: Promise<void> = Promise.resolve();

  constructor(write: BlockWriter) {
    this.write = write;
  }

  /** Begins to write a block, once the previous one is written. */
  async begin(block: Uint8Array): Promise<void> {
    await this.writing;
    this.writing = this.write(block);
    this.writing.catch(() => {
      /* handled before the next write, or at the end */
    });
  }

  ended(): Promise<void> {
    return this.writing;
  }
}

class Splitter {
  private readonly writers: Writers;
  private readonly finder;
  private readonly records: WholeRecords;
  private readonly memory = newMemory();
  private readonly kernels = openKeyKernels<SplitKernels>(compileKeyKernels(), this.memory);
  /**
   * Addresses in the kernels' memory: the table of where results end, the first of the current equal records, the
   * records to split, and where each result begins. `held` and `source` have room for `most` bytes.
   */
  private readonly table: number;
  private readonly held: number;
  private source = 0;
  private begins: readonly [number, number] = [0, 0];
  private most = 0;

  constructor(ordering: Ordering, writers: Writers, most: number) {
    const { format } = ordering;
    this.writers = writers;
    this.finder = recordFinder(format);
    this.records = new WholeRecords(this.finder);
    this.table = Math.ceil(this.kernels.firstFree() / ENDS_BYTES) * ENDS_BYTES;
    const ranges = format.kind === 'fixed' ? keyBytesAsRead(ordering, format.size) : [];
    const rangeTable = this.table + ENDS_BYTES;
    this.held = rangeTable + ranges.length * RANGE_BYTES;
    this.layOut(BATCH_BYTES);
    new Uint32Array(this.memory.buffer, rangeTable).set(ranges.flatMap(({ offset, length }) => [offset, length]));
    if (format.kind === 'lines') this.kernels.setDelimiter(format.delimiter);
    const size = format.kind === 'fixed' ? format.size : 0;
    this.kernels.openSplit(Math.min(most, MOST_COUNTED), Number(isKeyed(ordering)), size, rangeTable, ranges.length);
  }

  async take(block: Uint8Array): Promise<void> {
    for (const text of this.records.texts(block))
      for (let at = 0; at < text.length; ) {
        const last = this.finder.lastEnd(text.subarray(at, at + BATCH_BYTES), 0);
        const end = at + (last > 0 ? last : this.finder.firstEnd(text.subarray(at), 0));
        await this.split(text.subarray(at, end));
        at = end;
        await rest();
      }
  }

  async finish(): Promise<void> {
    await this.flush(1);
    await allOver(this.writers.map((writer) => writer.ended()));
  }

  private async split(records: Buffer): Promise<void> {
    const { kernels, held, table } = this;
    if (records.length > this.most) {
      await this.flush(1);
      this.layOut(records.length);
    }
    const { source } = this;
    new Uint8Array(this.memory.buffer).set(records, source);
    kernels.splitEqual(source, source + records.length, table);
    kernels.holdFirst(held);
    await this.flush(WRITTEN_BYTES);
  }

  /** Begins to write the results that have at least `least` bytes. */
  private async flush(least: number): Promise<void> {
    const ends = new Uint32Array(this.memory.buffer, this.table, 2);
    for (const [i, begin] of this.begins.entries()) {
      if (ends[i] - begin < least) continue;
      const block = Buffer.from(new Uint8Array(this.memory.buffer, begin, ends[i] - begin));
      ends[i] = begin;
      await this.writers[i].begin(block);
    }
  }

  /** Lays out the memory for records of `most` bytes. The first record stays where it is. */
  private layOut(most: number): void {
    this.most = most;
    this.source = this.held + most + KERNEL_SLACK;
    const begin = this.source + most + KERNEL_SLACK;
    // A result that is almost large enough to be written may still take all records.
    const room = WRITTEN_BYTES + most + KERNEL_SLACK;
    this.begins = [begin, begin + room];
    const end = begin + 2 * room;
    try {
      if (end > MOST_BYTES) throw new RangeError('a record is too long');
      growTo(this.memory, end);
    } catch (error) {
      throw new GpusortError('out-of-memory', `memory exhausted: comparing a line takes ${formatBytes(end)}`, {
        cause: error,
        hint: 'Shorten the line: --dupes-output and --per take lines of up to 1023 MiB.',
      });
    }
    new Uint32Array(this.memory.buffer, this.table, 2).set(this.begins);
  }
}

class CollatedSplitter {
  private readonly writers: Writers;
  private readonly delimiter: number;
  private readonly records: WholeRecords;
  private readonly first: FirstCollated;
  private readonly results = [new Lines(), new Lines()] as const;
  private readonly most: number;
  /** The records with the current key so far. */
  private count = 0;

  constructor(ordering: Ordering, writers: Writers, most: number) {
    this.writers = writers;
    this.most = most;
    this.delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : 0;
    this.records = new WholeRecords(recordFinder(ordering.format));
    this.first = new FirstCollated(ordering);
  }

  async take(block: Uint8Array): Promise<void> {
    for (const text of this.records.texts(block)) {
      for (const line of linesIn(text, this.delimiter)) {
        this.count = this.first.isEqual(line) ? this.count + 1 : 1;
        this.results[this.count > this.most ? 1 : 0].add(line, this.delimiter);
      }
      // The lines are views of a text that changes.
      await this.flush();
    }
  }

  async finish(): Promise<void> {
    await allOver(this.writers.map((writer) => writer.ended()));
  }

  private async flush(): Promise<void> {
    for (const [i, result] of this.results.entries()) {
      const block = result.taken();
      if (block.length > 0) await this.writers[i].begin(block);
    }
  }
}

/** Lines that are written together. */
class Lines {
  private pieces: Uint8Array[] = [];

  add(line: Buffer, delimiter: number): void {
    this.pieces.push(line, Uint8Array.of(delimiter));
  }

  /** A copy of the lines, which are then gone. */
  taken(): Buffer {
    const block = Buffer.concat(this.pieces);
    this.pieces = [];
    return block;
  }
}
