/**
 * Builds the contigs' indexes from records in order: checks the order, and makes a chunk of all records in a row that
 * have the same bin. A contig is encoded as soon as it is complete and its blocks are known, so only the contigs being
 * written take memory. Knows no format. The rules are those of htslib's index.
 */
import { GpusortError, internalError } from '../../system/errors.js';
import { type BinTree, FIXED_TREE, positionLimit, regionBin } from './bin-tree.js';
import { type BinTables, binTables, ContigIndex } from './contig-index.js';
import type { BlockTable, IndexBuilder } from './index-builder.js';

/** The contig of records without one. */
const NO_CONTIG = -1;
/** No bin yet. */
const NO_BIN = -1;

export class RecordIndex {
  /** The kinds of index that hold all positions so far; the first one will be written. */
  #kinds: readonly IndexBuilder['kind'][];
  readonly #tree: BinTree;
  readonly #tables: BinTables;
  readonly #blocks: BlockTable;
  readonly #nameOf: (contig: number) => string;
  /** The contigs' parts of the index file of each kind, by the number of the contig. */
  readonly #parts: Partial<Record<IndexBuilder['kind'], Buffer>>[] = [];
  readonly #complete: { contig: number; index: ContigIndex }[] = [];
  /** Those whose contigs are encoded: their memory is used again. */
  readonly #idle: ContigIndex[] = [];
  readonly #seen = new Set<number>();
  #contig = NO_CONTIG;
  #index: ContigIndex | undefined;
  #bin = NO_BIN;
  #chunkBegin = 0;
  #lastPosition = 0;
  #withoutContig = 0;
  #limit: number;
  #records = 0;
  /** The end of the last record, where the next one begins, in the text. */
  #place = 0;

  /**
   * `kinds`: at least one; the first that holds all positions is written. `tree`: the bins of a .csi. `nameOf`: a
   * contig's name in messages.
   */
  constructor(
    kinds: readonly IndexBuilder['kind'][],
    tree: BinTree,
    blocks: BlockTable,
    nameOf: (contig: number) => string,
  ) {
    this.#kinds = kinds;
    this.#tree = tree;
    this.#tables = binTables(tree);
    this.#blocks = blocks;
    this.#nameOf = nameOf;
    this.#limit = this.#limitOf(kinds[0]);
  }

  /** The kind of index, as far as the records so far decide it. */
  get kind(): IndexBuilder['kind'] {
    return this.#kinds[0];
  }

  /** Adds records that change nothing but counts; the last one has this position. The next record begins at `end`. */
  pass(mapped: number, unmapped: number, end: number, position: number): void {
    this.#place = end;
    this.#records += mapped + unmapped;
    const index = this.#index;
    if (index === undefined) this.#withoutContig += mapped + unmapped;
    else {
      index.mapped += mapped;
      index.unmapped += unmapped;
      if (mapped + unmapped > 0) this.#lastPosition = position;
    }
  }

  /**
   * Adds the next record: its contig's number, its positions from `begin` to `end` - 1 counted from 0, and where it
   * ends in the text. Records without a contig come last.
   */
  add(contig: number, begin: number, end: number, isMapped: boolean, placeAfter: number): void {
    const place = this.#place;
    this.#records++;
    this.#place = placeAfter;
    if (contig !== this.#contig) this.#changeContig(contig, place);
    else if (begin < this.#lastPosition) throw this.#unsortedPosition(begin);
    if (contig === NO_CONTIG) {
      this.#withoutContig++;
      return;
    }
    if (end < begin) throw this.#error(`it ends before it begins, at ${this.#placeName(begin)}`);
    const last = Math.max(begin + 1, end);
    if (last > this.#limit) this.#widen(last);
    this.#lastPosition = begin;
    // An interval before the first position, or an empty one there, counts as that position.
    const after = end === 0 ? 1 : end;
    const index = this.#index!;
    if (isMapped) index.mapped++;
    else index.unmapped++;
    index.reach(begin, after, place);
    const bin = regionBin(this.#tree, begin, after);
    if (bin === this.#bin) return;
    if (this.#bin !== NO_BIN) index.add(this.#bin, this.#chunkBegin, place);
    this.#bin = bin;
    this.#chunkBegin = place;
  }

  /** A `bad-records` error about the next record. */
  bad(what: string): GpusortError {
    return new GpusortError('bad-records', `cannot index: record ${this.#records + 1}: ${what}`);
  }

  /** Encodes complete contigs whose blocks are known. */
  blocksAdded(): void {
    while (this.#complete.length > 0 && this.#complete[0].index.end <= this.#blocks.textEnd) {
      const { contig, index } = this.#complete.shift()!;
      this.#parts[contig] = index.encode(this.#kinds);
      this.#idle.push(index);
    }
  }

  /** All contigs' parts, and the number of records without a contig. `contigs` is the number of contigs. */
  finish(contigs: number): Buffer {
    this.#completeContig(this.#place);
    if (this.#blocks.textEnd < this.#place) throw internalError('the index is missing blocks of the output');
    this.blocksAdded();
    const { kind } = this;
    const empty = Buffer.alloc(kind === 'csi' ? 4 : 8);
    const rest = Buffer.alloc(8);
    rest.writeBigUInt64LE(BigInt(this.#withoutContig));
    return Buffer.concat([
      ...Array.from({ length: contigs }, (_, contig) => this.#parts[contig]?.[kind] ?? empty),
      rest,
    ]);
  }

  #changeContig(contig: number, place: number): void {
    const nameOf = this.#nameOf;
    if (contig !== NO_CONTIG && this.#withoutContig > 0)
      throw this.#unsorted(`${nameOf(contig)} comes after records without a contig`);
    if (this.#seen.has(contig)) throw this.#unsorted(`${nameOf(contig)} comes back after another contig`);
    this.#completeContig(place);
    this.#contig = contig;
    this.#bin = NO_BIN;
    this.#lastPosition = 0;
    if (contig === NO_CONTIG) return;
    this.#seen.add(contig);
    this.#index = this.#idle.pop() ?? new ContigIndex(this.#tree, this.#blocks, this.#tables);
    this.#index.begin = place;
  }

  /** Ends the current contig, if there is one, at a place in the text. */
  #completeContig(place: number): void {
    const index = this.#index;
    if (index === undefined) return;
    index.add(this.#bin, this.#chunkBegin, place);
    index.end = place;
    this.#complete.push({ contig: this.#contig, index });
    this.#index = undefined;
  }

  /** The name of a position of the current contig, counted from 0. */
  #placeName(position: number): string {
    const nameOf = this.#nameOf;
    return `${nameOf(this.#contig)}:${position + 1}`;
  }

  #unsortedPosition(begin: number): GpusortError {
    return this.#unsorted(`${this.#placeName(begin)} comes after ${this.#placeName(this.#lastPosition)}`);
  }

  #unsorted(what: string): GpusortError {
    return this.#error(`not sorted: ${what}`);
  }

  /** Leaves out the kinds of index that do not hold positions up to `end`; throws if none does. */
  #widen(end: number): void {
    const wide = this.#kinds.filter((kind) => end <= this.#limitOf(kind));
    if (wide.length === 0) throw this.#tooFar(end);
    this.#kinds = wide;
    this.#limit = this.#limitOf(this.kind);
  }

  /** The end of the positions that an index holds. */
  #limitOf(kind: IndexBuilder['kind']): number {
    return positionLimit(kind === 'csi' ? this.#tree : FIXED_TREE);
  }

  #tooFar(end: number): GpusortError {
    const kind = this.#kinds.at(-1)!;
    const span = kind === 'csi' ? `${this.#limitOf(kind)} bases` : '512 Mbp';
    return this.#error(`${this.#placeName(end - 1)} is after the first ${span}, which is all that .${kind} holds`);
  }

  /** A `bad-records` error about the current record. */
  #error(what: string): GpusortError {
    return new GpusortError('bad-records', `cannot index: record ${this.#records}: ${what}`);
  }
}
