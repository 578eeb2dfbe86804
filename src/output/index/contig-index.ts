/**
 * The index of one contig: which parts of the text the records of each bin take (chunks), where the first record that
 * reaches each window of positions begins (linear index), and metadata. Places are offsets in the text until the BGZF
 * blocks are known. Small bins become part of their parents, and chunks in one block become one chunk, as in htslib.
 */
import { type BinTree, binCount, binWithin, FIXED_TREE, firstEntry, parentBin } from './bin-tree.js';
import type { BlockTable, IndexBuilder } from './index-builder.js';

/** A bin of fewer compressed bytes becomes part of its parent. */
const SMALL_BIN = 65536;
/** Chunks that a contig has room for at first: most contigs of an assembly have few records. */
const FEW_CHUNKS = 8;

/** Work space with an entry for each bin of a tree, shared by the contigs of an index. */
export type BinTables = ReturnType<typeof binTables>;

export function binTables(tree: BinTree) {
  const bins = binCount(tree);
  return {
    /** The bins that have chunks. */
    used: new Uint32Array(bins),
    /** The number of chunks of each bin. Between contigs, all are 0. */
    counts: new Uint32Array(bins),
    /** Where the first chunk begins and the last one ends. */
    begins: new Float64Array(bins),
    ends: new Float64Array(bins),
    /** The bin that takes the chunks: the bin itself or one above it. */
    takers: new Uint32Array(bins),
    /** The number of a chunk; not of this bin if it has none yet, or if another contig was here last. */
    lastChunks: new Uint32Array(bins),
    /** Where the next chunk goes in the contig's part of the index file. */
    offsets: new Uint32Array(bins),
  };
}

export class ContigIndex {
  readonly #tree: BinTree;
  readonly #blocks: BlockTable;
  readonly #tables: BinTables;
  /** The chunks of all bins, ordered by where they begin: their bins, beginnings and ends. */
  #bins = new Uint32Array(FEW_CHUNKS);
  #begins = new Float64Array(FEW_CHUNKS);
  #ends = new Float64Array(FEW_CHUNKS);
  #count = 0;
  /** The number of chunks at the beginning that have been merged, because their blocks were known. */
  #merged = 0;
  /** The linear index: a place for each window up to the last one that a record reaches. */
  #entries = new Float64Array(FEW_CHUNKS);
  #reached = 0;
  /** The number of windows in the linear index: more than are reached if empty records lie after those. */
  #windows = 0;
  /** Where the contig's records begin and end. From an integer, V8 would compile all again at the first large place. */
  begin = Number.NaN;
  end = Number.NaN;
  mapped = 0;
  unmapped = 0;

  /** `tables`: of the same tree. */
  constructor(tree: BinTree, blocks: BlockTable, tables: BinTables) {
    this.#tree = tree;
    this.#blocks = blocks;
    this.#tables = tables;
  }

  /** Adds a record that begins at `place` in the text to the linear index; `begin`: not before that of the last one. */
  reach(begin: number, end: number, place: number): void {
    const first = begin >>> this.#tree.shift;
    const after = ((end - 1) >>> this.#tree.shift) + 1;
    this.#windows = Math.max(this.#windows, after);
    // A record that begins earlier, or at the same position, reaches all windows from `first` to `#reached`.
    if (after <= this.#reached || first >= after) return;
    if (after > this.#entries.length)
      this.#entries = enlarged(this.#entries, new Float64Array(Math.max(after, 2 * this.#entries.length)));
    // A window that no record reaches gets the entry of the next window.
    for (let i = this.#reached; i < after; i++) this.#entries[i] = place;
    this.#reached = after;
  }

  /** Adds a chunk to a bin; it lies after the chunks added before. */
  add(bin: number, begin: number, end: number): void {
    if (this.#count === this.#bins.length) this.#makeRoom();
    const at = this.#count++;
    this.#bins[at] = bin;
    this.#begins[at] = begin;
    this.#ends[at] = end;
  }

  /**
   * The contig's parts of index files. The blocks must be known to the contig's end. Another contig may follow, in the
   * same memory.
   */
  encode(kinds: readonly IndexBuilder['kind'][]): Partial<Record<IndexBuilder['kind'], Buffer>> {
    const { counts } = this.#tables;
    const bins = this.#mergeBins();
    const parts = Object.fromEntries(kinds.map((kind) => [kind, this.#encodeKind(kind, bins)]));
    for (let i = 0; i < bins.length; i++) counts[bins[i]] = 0;
    this.#count = this.#merged = this.#reached = this.#windows = this.mapped = this.unmapped = 0;
    return parts;
  }

  /** The part of the index file of this kind; `bins`: those that have chunks, in ascending order. */
  #encodeKind(kind: IndexBuilder['kind'], bins: Uint32Array): Buffer {
    const { counts, offsets } = this.#tables;
    const isCsi = kind === 'csi';
    const tree = isCsi ? this.#tree : FIXED_TREE;
    const headBytes = isCsi ? 16 : 8;
    const windows = isCsi ? 0 : this.#windows;
    const bytes = 4 + headBytes * (bins.length + 1) + 16 * (this.#count + 2) + (isCsi ? 0 : 4 + 8 * windows);
    const out = new DataView(new ArrayBuffer(bytes));
    let at = 4;
    const head = (bin: number, chunks: number): void => {
      out.setUint32(at, bin, true);
      at += headBytes;
      out.setUint32(at - 4, chunks, true);
    };
    out.setUint32(0, bins.length + 1, true);
    for (let i = 0; i < bins.length; i++) {
      const bin = bins[i];
      if (isCsi) this.#writeEntry(out, at + 4, firstEntry(this.#tree, bin));
      head(binWithin(tree, bin, this.#tree), counts[bin]);
      offsets[bin] = at;
      at += 16 * counts[bin];
    }
    for (let i = 0; i < this.#count; i++) {
      const bin = this.#bins[i];
      this.#writeChunk(out, offsets[bin], this.#begins[i], this.#ends[i]);
      offsets[bin] += 16;
    }
    head(binCount(tree) + 1, 2);
    this.#writeChunk(out, at, this.begin, this.end);
    out.setBigUint64(at + 16, BigInt(this.mapped), true);
    out.setBigUint64(at + 24, BigInt(this.unmapped), true);
    if (!isCsi) out.setUint32(at + 32, windows, true);
    for (let i = 0; i < windows; i++) this.#writeEntry(out, at + 36 + 8 * i, i);
    return Buffer.from(out.buffer);
  }

  #writeChunk(out: DataView, at: number, begin: number, end: number): void {
    this.#blocks.writeOffset(begin, out, at);
    this.#blocks.writeOffset(end, out, at + 8);
  }

  /** Writes an entry of the linear index. A window without one keeps 0: a query may then skip nothing. */
  #writeEntry(out: DataView, at: number, window: number): void {
    if (window < this.#reached) this.#blocks.writeOffset(this.#entries[window], out, at);
  }

  /** Makes room for more chunks: by merging them if that leaves less than half of them. */
  #makeRoom(): void {
    this.#mergeChunks();
    const length = 2 * this.#bins.length;
    if (4 * this.#count < length) return;
    this.#bins = enlarged(this.#bins, new Uint32Array(length));
    this.#begins = enlarged(this.#begins, new Float64Array(length));
    this.#ends = enlarged(this.#ends, new Float64Array(length));
  }

  /** Merges small bins into their parents, and all chunks; returns the bins that are left, and counts their chunks. */
  #mergeBins(): Uint32Array {
    const { counts, begins, ends, takers } = this.#tables;
    const bins = this.#usedBins();
    // Children have larger numbers than their parents, so a bin is complete when its turn comes.
    for (let i = bins.length - 1; i >= 0; i--) {
      const bin = bins[i];
      const parent = parentBin(bin);
      takers[bin] = bin;
      if (bin === 0 || counts[parent] === 0) continue;
      if (this.#blocks.address(ends[bin]) - this.#blocks.address(begins[bin]) >= SMALL_BIN) continue;
      takers[bin] = parent;
      begins[parent] = Math.min(begins[parent], begins[bin]);
      ends[parent] = Math.max(ends[parent], ends[bin]);
    }
    let left = 0;
    for (let i = 0; i < bins.length; i++) {
      const bin = bins[i];
      counts[bin] = 0;
      if (takers[bin] === bin) bins[left++] = bin;
      else takers[bin] = takers[takers[bin]];
    }
    for (let i = 0; i < this.#count; i++) this.#bins[i] = takers[this.#bins[i]];
    this.#merged = 0;
    this.#mergeChunks();
    for (let i = 0; i < this.#count; i++) counts[this.#bins[i]]++;
    return bins.subarray(0, left);
  }

  /** The bins that have chunks, in ascending order; the tables say how many they have, and where they begin and end. */
  #usedBins(): Uint32Array {
    const { used, counts, begins, ends } = this.#tables;
    let bins = 0;
    for (let i = 0; i < this.#count; i++) {
      const bin = this.#bins[i];
      if (counts[bin]++ === 0) {
        used[bins++] = bin;
        begins[bin] = this.#begins[i];
        ends[bin] = this.#ends[i];
      } else ends[bin] = Math.max(ends[bin], this.#ends[i]);
    }
    return used.subarray(0, bins).sort();
  }

  /**
   * Merges a chunk into the one before it in its bin if it begins in the block in which that one ends, or before.
   * Chunks that begin in unknown blocks stay as they are.
   */
  #mergeChunks(): void {
    const bins = this.#bins;
    const begins = this.#begins;
    const ends = this.#ends;
    const { lastChunks } = this.#tables;
    const known = this.#blocks.textEnd;
    let chunks = this.#merged;
    let at = chunks;
    for (; at < this.#count && begins[at] <= known; at++) {
      const bin = bins[at];
      const last = lastChunks[bin];
      if (last < chunks && bins[last] === bin && ends[last] >= this.#blocks.textBegin(begins[at])) {
        ends[last] = Math.max(ends[last], ends[at]);
        continue;
      }
      lastChunks[bin] = chunks;
      bins[chunks] = bin;
      begins[chunks] = begins[at];
      ends[chunks++] = ends[at];
    }
    this.#merged = chunks;
    for (const column of [bins, begins, ends]) column.copyWithin(chunks, at, this.#count);
    this.#count -= at - chunks;
  }
}

/** `larger` with the numbers of a shorter array at its beginning. */
function enlarged<Numbers extends Uint32Array | Float64Array>(numbers: Numbers, larger: Numbers): Numbers {
  larger.set(numbers);
  return larger;
}
