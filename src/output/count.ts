/**
 * --count: of adjacent records with equal keys, writes the first one and their number. The number precedes the record,
 * in the format of `uniq -c` or as the first field of CSV, or is added to the first line of a read. Under normalized keys it takes keyed lines and
 * writes lines without keys. All input passes through here, so a kernel does the work (kernels/wasm/keys/count.ts); it
 * takes whole lines.
 */

import type { BlockWriter, CountsOf } from '../engines/contract.js';
import type { InputRequest } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { isKeyed } from '../keys/keyed.js';
import { recordFinder } from '../records/record-finder.js';
import { WholeRecords } from '../records/whole-records.js';
import { formatBytes } from '../report/units.js';
import { GpusortError } from '../system/errors.js';
import { growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { rest } from '../system/promises.js';
import type { Filter } from './filter.js';
import { oneByOne } from './filter.js';
import { FirstCollated, linesIn } from './first-collated.js';

/** Lines are counted in batches that fit into a processor's cache. A longer line is a batch of its own. */
const BATCH_BYTES = 256 << 10;
/** Bytes per write. */
const WRITTEN_BYTES = 1 << 20;
/** Maximum bytes of a number. */
const NUMBER_BYTES = 32;
const MOST_BYTES = 2 ** 32 - 2 ** 17;

interface CountKernels {
  firstFree(): number;
  setDelimiter(delimiter: number): void;
  openCount(keyed: number, form: number, separator: number): void;
  openWeights(weights: number): void;
  countLines(from: number, to: number, at: number, room: number): void;
  countedTo(): number;
  writtenTo(): number;
  holdFirst(at: number): void;
  endCount(at: number): void;
}

/** Where the number is written. */
export type CountPlace =
  /** In front of the line, as `uniq -c` does. */
  | { readonly kind: 'line' }
  /** As ` count=N` at the end of the first line of a record that contains newlines. */
  | { readonly kind: 'label' }
  /** In a field before the others, in quotes if the separator is a digit. */
  | { readonly kind: 'field'; readonly separator: number };

const LINE: CountPlace = { kind: 'line' };
/** The same numbers as in kernels/wasm/keys/count.ts. */
const PLACES: readonly CountPlace['kind'][] = ['line', 'label', 'field'];
/** The name of the field of counts. */
const NAME = 'count';
/** A byte order mark in UTF-8. */
const MARK = '\xef\xbb\xbf';

/** Where a job writes its counts. */
export function countPlace({ framing, genomics }: Pick<InputRequest, 'framing' | 'genomics'>): CountPlace {
  if (framing?.kind === 'csv') return { kind: 'field', separator: framing.separator };
  return genomics === null ? LINE : { kind: 'label' };
}

/**
 * The header of CSV with a field for the counts: its name in the first record, nothing in the others. Records end in
 * NUL.
 */
export function withCountField(header: Uint8Array, separator: number): Uint8Array {
  const byte = String.fromCharCode(separator);
  const name = NAME.includes(byte) ? `"${NAME}"` : NAME;
  const text = Buffer.from(header).toString('latin1');
  const mark = text.startsWith(MARK) ? MARK : '';
  const records = text.slice(mark.length).split('\0').slice(0, -1);
  return Buffer.from(mark + records.map((record, i) => `${i === 0 ? name : ''}${byte}${record}\0`).join(''), 'latin1');
}

/** Counts the lines of `ordering`, in which equal keys are adjacent, and passes the result to `write`. */
export function countEqual(ordering: Ordering, write: BlockWriter, place: CountPlace = LINE): Filter {
  if (isCollated(ordering)) return oneByOne(new CollatedCounter(ordering, write, place));
  const counter = new Counter(ordering, write, place);
  return { ...oneByOne(counter), weigh: (countsOf) => counter.weigh(countsOf) };
}

class Counter {
  private readonly delimiter: number;
  private readonly write: BlockWriter;
  private readonly memory = newMemory();
  private readonly kernels = openKeyKernels<CountKernels>(compileKeyKernels(), this.memory);
  private readonly lines: WholeRecords;
  /**
   * Addresses in the kernels' memory: the first of the current equal lines, the lines to count, and the result, which
   * ends at `room`. The first two have room for `most` bytes.
   */
  private readonly held: number;
  private source = 0;
  private target = 0;
  private room = 0;
  private most = 0;
  /** How often each of some distinct lines occurred; null: each line counts once. */
  private countsOf: CountsOf | null = null;
  /** The end of the result so far. */
  private place = 0;
  private writing: Promise<void> = Promise.resolve();

  constructor(ordering: Ordering, write: BlockWriter, place: CountPlace) {
    this.delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : 0;
    this.lines = new WholeRecords(recordFinder(ordering.format));
    this.write = write;
    this.kernels.setDelimiter(this.delimiter);
    const separator = place.kind === 'field' ? place.separator : 0;
    this.kernels.openCount(Number(isKeyed(ordering)), PLACES.indexOf(place.kind), separator);
    this.held = this.kernels.firstFree();
    this.layOut(BATCH_BYTES);
  }

  /** The lines that follow are distinct ones. */
  weigh(countsOf: CountsOf): void {
    this.countsOf = countsOf;
  }

  async take(block: Uint8Array): Promise<void> {
    for (const text of this.lines.texts(block))
      for (let at = 0; at < text.length; ) {
        const last = text.subarray(at, at + BATCH_BYTES).lastIndexOf(this.delimiter);
        const end = last >= 0 ? at + last + 1 : text.indexOf(this.delimiter, at) + 1;
        await this.count(text.subarray(at, end));
        at = end;
        await rest();
      }
  }

  async finish(): Promise<void> {
    this.kernels.endCount(await this.roomFor(this.most + NUMBER_BYTES));
    this.place = this.kernels.writtenTo();
    await this.flush();
    await this.writing;
  }

  private async count(lines: Buffer): Promise<void> {
    const { kernels } = this;
    if (lines.length > this.most) {
      await this.flush();
      this.layOut(lines.length);
    }
    const { source } = this;
    const end = source + lines.length;
    this.placeWeights(lines);
    new Uint8Array(this.memory.buffer).set(lines, source);
    for (let from = source; from < end; from = kernels.countedTo()) {
      kernels.countLines(from, end, this.place, this.room);
      this.place = kernels.writtenTo();
      if (kernels.countedTo() < end) await this.flush();
    }
    kernels.holdFirst(this.held);
  }

  private placeWeights(lines: Uint8Array): void {
    if (this.countsOf === null) return;
    const counts = this.countsOf(lines);
    const place = this.room + KERNEL_SLACK;
    growTo(this.memory, place + counts.length);
    new Uint8Array(this.memory.buffer).set(counts, place);
    this.kernels.openWeights(place);
  }

  /** Returns an address with room for this many bytes. */
  private async roomFor(bytes: number): Promise<number> {
    if (this.room - this.place < bytes) await this.flush();
    return this.place;
  }

  /** Starts to write the result so far, once the previous write has finished. */
  private async flush(): Promise<void> {
    if (this.place === this.target) return;
    const block = Buffer.from(new Uint8Array(this.memory.buffer, this.target, this.place - this.target));
    this.place = this.target;
    await this.writing;
    this.writing = this.write(block);
    this.writing.catch(() => {
      /* handled before the next write, or at the end */
    });
  }

  /** Lays out the memory for lines of `most` bytes. The held line stays where it is. */
  private layOut(most: number): void {
    this.most = most;
    this.source = this.held + most + KERNEL_SLACK;
    this.place = this.target = this.source + most + KERNEL_SLACK;
    this.room = this.target + Math.max(WRITTEN_BYTES, most + NUMBER_BYTES);
    const end = this.room + KERNEL_SLACK;
    try {
      if (end > MOST_BYTES) throw new RangeError('a line is too long');
      growTo(this.memory, end);
    } catch (error) {
      throw new GpusortError('out-of-memory', `memory exhausted: counting a line takes ${formatBytes(end)}`, {
        cause: error,
        hint: 'Shorten the line: --count takes lines of up to 1.3 GiB.',
      });
    }
  }
}

/** Width of a count, as in GNU uniq. */
const WIDTH = 7;

/** Counts lines in the order of a collation, which are no reads. */
class CollatedCounter {
  private readonly write: BlockWriter;
  private readonly place: CountPlace;
  private readonly delimiter: number;
  private readonly records: WholeRecords;
  private readonly first: FirstCollated;
  private count = 0;
  private pieces: Uint8Array[] = [];
  private bytes = 0;

  constructor(ordering: Ordering, write: BlockWriter, place: CountPlace) {
    this.write = write;
    this.place = place;
    this.delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : 0;
    this.records = new WholeRecords(recordFinder(ordering.format));
    this.first = new FirstCollated(ordering);
  }

  async take(block: Uint8Array): Promise<void> {
    for (const text of this.records.texts(block))
      for (const line of linesIn(text, this.delimiter)) {
        const before = this.first.line;
        if (!this.first.isEqual(line)) {
          this.put(before);
          this.count = 0;
        }
        this.count++;
        if (this.bytes >= WRITTEN_BYTES) await this.flush();
      }
  }

  async finish(): Promise<void> {
    this.put(this.first.line);
    await this.flush();
  }

  private put(line: Buffer | null): void {
    if (line === null) return;
    const number = Buffer.from(this.number(), 'latin1');
    this.pieces.push(number, line, Uint8Array.of(this.delimiter));
    this.bytes += number.length + line.length + 1;
  }

  /** The number of lines, with what separates it from the line. */
  private number(): string {
    const digits = String(this.count);
    if (this.place.kind !== 'field') return `${digits.padStart(WIDTH)} `;
    const byte = String.fromCharCode(this.place.separator);
    return /\d/.test(byte) ? `"${digits}"${byte}` : digits + byte;
  }

  private async flush(): Promise<void> {
    const block = Buffer.concat(this.pieces);
    [this.pieces, this.bytes] = [[], 0];
    if (block.length > 0) await this.write(block);
  }
}
