/**
 * --count: for adjacent records with equal keys, writes the first one and their number. The number precedes the record,
 * in the format of `uniq -c` or as the first field of CSV, or is added to the first line of a read. Under normalized
 * keys it takes keyed lines and writes lines without keys (kernels/wasm/keys/records/count.ts).
 */

import type { BlockWriter, CountsOf } from '../contract/engine.js';
import type { InputRequest } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { isKeyed } from '../keys/keyed.js';
import { recordFinder } from '../records/record-finder.js';
import { growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { dividingEqual, type EqualDivider, WRITTEN_BYTES } from './equal-batches.js';
import { CollatedNeighbors } from './equal-collated.js';
import { type Filter, oneByOne, WriteBehind } from './filter.js';

/** Maximum bytes of a number. */
const NUMBER_BYTES = 32;

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
  /** In an additional first field, in quotes if the separator is a digit. */
  | { readonly kind: 'field'; readonly separator: number };

const LINE: CountPlace = { kind: 'line' };
/** The same numbers as in kernels/wasm/keys/records/count.ts. */
const PLACES: readonly CountPlace['kind'][] = ['line', 'label', 'field'];
/** The name of the field that holds counts. */
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
  return { ...dividingEqual(ordering, counter), weigh: (countsOf) => counter.weigh(countsOf) };
}

class Counter implements EqualDivider {
  readonly memory = newMemory();
  readonly kernels = openKeyKernels<CountKernels>(compileKeyKernels(), this.memory);
  readonly free = this.kernels.firstFree();
  readonly tooLong = {
    work: 'counting a line',
    hint: 'Shorten the line: --count takes lines of up to 1.3 GiB.',
  };
  private readonly writer: WriteBehind;
  /** Addresses: where the result begins, its end so far, and the end of its room. */
  private target = 0;
  private place = 0;
  private room = 0;
  /** The maximum bytes of a line. */
  private most = 0;
  /** How often each of some distinct lines occurred; null: each line counts once. */
  private countsOf: CountsOf | null = null;

  constructor(ordering: Ordering, write: BlockWriter, place: CountPlace) {
    this.writer = new WriteBehind(write);
    this.kernels.setDelimiter(recordFinder(ordering.format).delimiter!);
    const separator = place.kind === 'field' ? place.separator : 0;
    this.kernels.openCount(Number(isKeyed(ordering)), PLACES.indexOf(place.kind), separator);
  }

  /** Announces that the lines that follow are distinct. */
  weigh(countsOf: CountsOf): void {
    this.countsOf = countsOf;
  }

  layOut(begin: number, most: number): number {
    this.most = most;
    this.place = this.target = begin;
    this.room = begin + Math.max(WRITTEN_BYTES, most + NUMBER_BYTES);
    return this.room + KERNEL_SLACK;
  }

  async divide(from: number, to: number, lines: Uint8Array): Promise<void> {
    const { kernels } = this;
    this.placeWeights(lines);
    for (let at = from; at < to; at = kernels.countedTo()) {
      kernels.countLines(at, to, this.place, this.room);
      this.place = kernels.writtenTo();
      if (kernels.countedTo() < to) await this.flush();
    }
  }

  async flush(): Promise<void> {
    if (this.place === this.target) return;
    const block = Buffer.from(new Uint8Array(this.memory.buffer, this.target, this.place - this.target));
    this.place = this.target;
    await this.writer.begin(block);
  }

  async finish(): Promise<void> {
    if (this.room - this.place < this.most + NUMBER_BYTES) await this.flush();
    this.kernels.endCount(this.place);
    this.place = this.kernels.writtenTo();
    await this.flush();
    await this.writer.ended();
  }

  private placeWeights(lines: Uint8Array): void {
    if (this.countsOf === null) return;
    const counts = this.countsOf(lines);
    const place = this.room + KERNEL_SLACK;
    growTo(this.memory, place + counts.length);
    new Uint8Array(this.memory.buffer).set(counts, place);
    this.kernels.openWeights(place);
  }
}

/** Width of a count, as in GNU uniq. */
const WIDTH = 7;

/** Counts lines in the order of a collation. The lines are never reads. */
class CollatedCounter {
  private readonly write: BlockWriter;
  private readonly place: CountPlace;
  private readonly neighbors: CollatedNeighbors;
  /** The first of the current equal lines, and their number. */
  private line: Buffer = Buffer.alloc(0);
  private count = 0;
  private pieces: Uint8Array[] = [];
  private bytes = 0;

  constructor(ordering: Ordering, write: BlockWriter, place: CountPlace) {
    this.write = write;
    this.place = place;
    this.neighbors = new CollatedNeighbors(ordering);
  }

  async take(block: Uint8Array): Promise<void> {
    for (const { line, isFirst } of this.neighbors.of(block)) {
      if (isFirst) {
        this.put();
        this.line = Buffer.from(line);
        this.count = 0;
      }
      this.count++;
      if (this.bytes >= WRITTEN_BYTES) await this.flush();
    }
  }

  async finish(): Promise<void> {
    this.put();
    await this.flush();
  }

  private put(): void {
    if (this.count === 0) return;
    const number = Buffer.from(this.number(), 'latin1');
    this.pieces.push(number, this.line);
    this.bytes += number.length + this.line.length;
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
