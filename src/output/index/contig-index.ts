/**
 * The index of one contig: which parts of the text the records of each bin take (chunks), where the first record that
 * reaches each window of 2^14 positions begins (linear index), and metadata. Places are offsets in the text until the
 * BGZF blocks are known. Small bins become part of their parents, and chunks in one block become one chunk, as in
 * htslib.
 */
import type { BlockTable, IndexBuilder } from './index-builder.js';

/** A bin of fewer compressed bytes becomes part of its parent. */
const SMALL_BIN = 65536;
/** The chunks of a bin are merged when it has at least this many. */
const MANY_CHUNKS = 64;

/** The beginning and end of each chunk, in order, and the length of this list at which chunks are merged again. */
interface BinChunks {
  places: number[];
  crowded: number;
}

export class ContigIndex {
  readonly #tree: BinTree;
  readonly #blocks: BlockTable;
  readonly #bins = new Map<number, BinChunks>();
  /** The linear index; -1: no record yet. */
  #entries = new Float64Array(0);
  #entryCount = 0;
  /** Where the contig's records begin and end. */
  readonly #begin: number;
  end = -1;
  mapped = 0;
  unmapped = 0;

  constructor(tree: BinTree, blocks: BlockTable, begin: number) {
    this.#tree = tree;
    this.#blocks = blocks;
    this.#begin = begin;
  }

  /** Adds a record that begins at `place` in the text to the linear index. */
  reach(begin: number, end: number, place: number): void {
    const first = begin >>> this.#tree.shift;
    const after = ((end - 1) >>> this.#tree.shift) + 1;
    if (after > this.#entries.length) {
      const larger = new Float64Array(Math.max(after, 2 * this.#entries.length)).fill(-1);
      larger.set(this.#entries);
      this.#entries = larger;
    }
    for (let i = first; i < after; i++) if (this.#entries[i] < 0) this.#entries[i] = place;
    this.#entryCount = Math.max(this.#entryCount, after);
  }

  /** Adds a chunk to a bin; it lies after the chunks added before. */
  add(bin: number, begin: number, end: number): void {
    const chunks = this.#bins.get(bin);
    if (chunks === undefined) {
      this.#bins.set(bin, { places: [begin, end], crowded: 2 * MANY_CHUNKS });
      return;
    }
    chunks.places.push(begin, end);
    if (chunks.places.length >= chunks.crowded) {
      this.#mergeChunks(chunks.places);
      chunks.crowded = Math.max(2 * MANY_CHUNKS, 2 * chunks.places.length);
    }
  }

  /** Prepares `encode`. The blocks must be known to the contig's end. */
  complete(): void {
    this.#fillEntries();
    this.#mergeBins();
  }

  /** The contig's part of the index file. */
  encode(kind: IndexBuilder['kind']): Buffer {
    const bins = [...this.#bins.keys()].sort((a, b) => a - b);
    const tree = kind === 'csi' ? this.#tree : FIXED_TREE;
    const out = new NumberList(this.#blocks);
    out.number(bins.length + 1);
    for (const bin of bins) {
      const { places } = this.#bins.get(bin)!;
      out.number(binWithin(tree, bin, this.#tree));
      if (kind === 'csi') this.#writeEntry(out, firstEntry(this.#tree, bin));
      out.number(places.length / 2);
      for (const place of places) out.offset(place);
    }
    out.number(binCount(tree) + 1);
    if (kind === 'csi') out.count(0);
    out.number(2);
    out.offset(this.#begin);
    out.offset(this.end);
    out.count(this.mapped);
    out.count(this.unmapped);
    if (kind !== 'csi') {
      out.number(this.#entryCount);
      for (let i = 0; i < this.#entryCount; i++) this.#writeEntry(out, i);
    }
    return out.bytes();
  }

  /** A window that no record reaches gets the entry of the next window. */
  #fillEntries(): void {
    for (let i = this.#entryCount - 2; i >= 0; i--) if (this.#entries[i] < 0) this.#entries[i] = this.#entries[i + 1];
  }

  /** A window without an entry gets 0: a query may then skip nothing. */
  #writeEntry(out: NumberList, entry: number): void {
    if (entry < this.#entryCount && this.#entries[entry] >= 0) out.offset(this.#entries[entry]);
    else out.count(0);
  }

  /** Merges small bins into their parents. */
  #mergeBins(): void {
    // Children have larger numbers than their parents, so a bin is complete when its turn comes.
    const descending = [...this.#bins.keys()].sort((a, b) => b - a);
    for (const bin of descending) {
      const { places } = this.#bins.get(bin)!;
      const parent = bin === 0 ? undefined : this.#bins.get(parentBin(bin));
      const bytes = this.#blocks.address(places[places.length - 1]) - this.#blocks.address(places[0]);
      if (parent !== undefined && bytes < SMALL_BIN) {
        parent.places = inOrder(parent.places, places);
        this.#bins.delete(bin);
      } else this.#mergeChunks(places);
    }
  }

  /** Merges chunks, in place, if one begins in the block in which the one before it ends. Unknown blocks differ. */
  #mergeChunks(places: number[]): void {
    const known = this.#blocks.textEnd;
    let last = 0;
    for (let i = 2; i < places.length; i += 2) {
      const [begin, end] = [places[i], places[i + 1]];
      // A place at the end of the known text lies in a block of its own, since the next one begins there.
      if (begin <= known && this.#blocks.indexOf(places[last + 1]) === this.#blocks.indexOf(begin)) {
        places[last + 1] = end;
      } else {
        last += 2;
        places[last] = begin;
        places[last + 1] = end;
      }
    }
    places.length = last + 2;
  }
}

/** Merges two lists of chunks. One chunk may cover others if it was merged before. */
function inOrder(a: readonly number[], b: readonly number[]): number[] {
  const merged: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const isFromA = j === b.length || (i < a.length && a[i] < b[j]);
    const [begin, end] = isFromA ? [a[i], a[i + 1]] : [b[j], b[j + 1]];
    if (isFromA) i += 2;
    else j += 2;
    const last = merged.length - 1;
    if (last > 0 && begin < merged[last]) merged[last] = Math.max(merged[last], end);
    else merged.push(begin, end);
  }
  return merged;
}

/** A growing list of little-endian numbers. */
class NumberList {
  readonly #blocks: BlockTable;
  #data = new DataView(new ArrayBuffer(4096));
  #length = 0;

  constructor(blocks: BlockTable) {
    this.#blocks = blocks;
  }

  /** 32 bits. */
  number(value: number): void {
    const at = this.#room(4);
    this.#data.setUint32(at, value, true);
  }

  /** 64 bits. */
  count(value: number): void {
    const at = this.#room(8);
    this.#data.setBigUint64(at, BigInt(value), true);
  }

  /** The virtual offset of a place in the text, 64 bits. */
  offset(place: number): void {
    const at = this.#room(8);
    this.#blocks.writeOffset(place, this.#data, at);
  }

  bytes(): Buffer {
    return Buffer.from(this.#data.buffer, 0, this.#length);
  }

  /** The offset for the next bytes; may replace `#data`. */
  #room(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#data.byteLength) {
      const larger = new Uint8Array(2 * this.#data.byteLength);
      larger.set(new Uint8Array(this.#data.buffer));
      this.#data = new DataView(larger.buffer);
    }
    return at;
  }
}

/**
 * The bins of an index: a tree over the positions of a contig, where each bin has eight children and bin 0 spans all.
 * The specifications of SAM (section 5) and CSI describe it. All positions here are below 2^32.
 */
export interface BinTree {
  /** The smallest bins span 2^shift positions, as do the entries of the linear index. */
  readonly shift: number;
  /** Levels of bins below bin 0. */
  readonly levels: number;
  /** The first of the smallest bins. */
  readonly firstOfSmallest: number;
}

/** The bins of .bai and .tbi, which hold positions below 2^29. */
export const FIXED_TREE = binTree(14, 5);
/** The bins of tabix 1.16 in a .csi. They hold positions below 2^32. */
export const TABIX_TREE = binTree(14, 6);

export function binTree(shift: number, levels: number): BinTree {
  return { shift, levels, firstOfSmallest: firstBin(levels) };
}

/** The first bin of a level: 0, 1, 9, 73 ... */
export function firstBin(level: number): number {
  return (2 ** (3 * level) - 1) / 7;
}

/** The number of bins. The bin of metadata has this number plus 1: 37450 in .bai. */
export function binCount(tree: BinTree): number {
  return firstBin(tree.levels + 1);
}

/** The end of the positions that the bins span. */
export function positionLimit(tree: BinTree): number {
  return 2 ** (tree.shift + 3 * tree.levels);
}

/** The smallest bin that holds the positions from `begin` to `end` - 1. */
export function regionBin(tree: BinTree, begin: number, end: number): number {
  const last = end - 1;
  let shift = tree.shift;
  let first = tree.firstOfSmallest;
  for (let level = tree.levels; level > 0; level--) {
    if (begin >>> shift === last >>> shift) return first + (begin >>> shift);
    shift += 3;
    first = parentBin(first);
  }
  return 0;
}

/** The number in `tree` of a bin of `larger`, which has the levels of `tree` and perhaps more levels above them. */
function binWithin(tree: BinTree, bin: number, larger: BinTree): number {
  const level = levelOf(bin);
  return bin - firstBin(level) + firstBin(level - larger.levels + tree.levels);
}

export function parentBin(bin: number): number {
  return (bin - 1) >>> 3;
}

/** The entry of the linear index at which a bin begins. */
export function firstEntry(tree: BinTree, bin: number): number {
  const level = levelOf(bin);
  return (bin - firstBin(level)) * 2 ** (3 * (tree.levels - level));
}

/** The levels above a bin. */
function levelOf(bin: number): number {
  let level = 0;
  for (let above = bin; above > 0; above = parentBin(above)) level++;
  return level;
}

/** The tree that samtools chooses for a .csi: enough levels for the longest contig and 256 more positions. */
export function treeFor(longestContig: number): BinTree {
  let tree = binTree(14, 0);
  while (positionLimit(tree) < longestContig + 256) tree = binTree(14, tree.levels + 1);
  return tree;
}
