/**
 * Indexes of a BAM file sorted by coordinate: .bai, or .csi if a contig is long. Parses the header for the lengths of
 * contigs, and the fields of each record that give its position. Records may begin and end in any block. Source: the
 * specification of SAM, sections 4.2 and 5.
 */

import { displayName } from '../../report/names.js';
import { GpusortError } from '../../system/errors.js';
import { FIXED_TREE, positionLimit, treeFor } from './contig-index.js';
import { BlockTable, type IndexBuilder } from './index-builder.js';
import { NO_CONTIG, RecordIndex, Remainder } from './record-index.js';

/** The flag of an unmapped record. */
const UNMAPPED = 4;
/** Bytes of a record before its name, including the length field. */
const FIXED_BYTES = 36;
/** Operations of a CIGAR that advance on the contig: M, D, N, =, X, as bits. */
const ADVANCING = (1 << 0) | (1 << 2) | (1 << 3) | (1 << 7) | (1 << 8);

/** The index of a BAM file; `auto`: .bai if it holds all contigs of the header. */
export function bamIndex(kind: 'bai' | 'csi' | 'auto'): IndexBuilder {
  return new BamIndex(kind);
}

class BamIndex implements IndexBuilder {
  readonly #blocks = new BlockTable();
  readonly #rest = new Remainder();
  readonly #names: Buffer[] = [];
  readonly #nameOf = (contig: number): string => displayName(this.#names[contig]);
  readonly #wanted: 'bai' | 'csi' | 'auto';
  #kind: 'bai' | 'csi';
  #longest = 0;
  #longestName: Buffer = Buffer.alloc(0);
  /** The next part of the text. */
  #next: 'magic' | 'contigs' | 'contig' | 'record' = 'magic';
  /** Bytes of the header's text that are still to be skipped. */
  #skip = 0;
  #contigs = 0;
  /** Bytes of complete parts so far: the offset in the text. */
  #place = 0;
  #records: RecordIndex | undefined;

  constructor(kind: 'bai' | 'csi' | 'auto') {
    this.#wanted = kind;
    this.#kind = kind === 'csi' ? 'csi' : 'bai';
  }

  get kind(): 'bai' | 'csi' {
    return this.#kind;
  }

  text(block: Uint8Array): void {
    this.#rest.give(block, (bytes, from) => this.#take(bytes, from));
  }

  block(textBytes: number, compressedBytes: number): void {
    this.#blocks.add(textBytes, compressedBytes);
    this.#records?.blocksAdded();
  }

  finish(): Buffer {
    if (this.#records === undefined) throw badHeader('it is cut off');
    if (this.#rest.bytes > 0) throw this.#records.bad('it is cut off');
    const body = this.#records.finish(this.#contigs);
    const head = Buffer.alloc(this.#kind === 'csi' ? 20 : 8);
    head.write(this.#kind === 'csi' ? 'CSI\x01' : 'BAI\x01', 'latin1');
    if (this.#kind === 'csi') {
      const tree = treeFor(this.#longest);
      head.writeInt32LE(tree.shift, 4);
      head.writeInt32LE(tree.levels, 8);
    }
    head.writeInt32LE(this.#contigs, head.length - 4);
    return Buffer.concat([head, body]);
  }

  /** Takes all complete parts of the text and returns where the incomplete one begins. */
  #take(bytes: Uint8Array, from: number): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = from;
    while (this.#next !== 'record') {
      const taken = this.#takeHeader(bytes, view, at);
      if (taken === 0) return at;
      at += taken;
      this.#place += taken;
    }
    const records = this.#records!;
    const contigs = this.#contigs;
    let place = this.#place;
    const length = bytes.length;
    while (at + 4 <= length) {
      const size = view.getInt32(at, true) + 4;
      if (size < FIXED_BYTES) throw records.bad(`its length, ${size - 4}, is too small`);
      if (at + size > length) break;
      const contig = view.getInt32(at + 4, true);
      const position = view.getInt32(at + 8, true);
      const flags = view.getUint16(at + 18, true);
      const operations = view.getUint16(at + 16, true);
      const cigar = at + FIXED_BYTES + bytes[at + 12];
      if (contig >= contigs || contig < NO_CONTIG) throw records.bad(`the header lists no contig ${contig}`);
      if (position < -1) throw records.bad(`its position is ${position + 1}`);
      if (cigar + 4 * operations > at + size) throw records.bad('its CIGAR extends past the end of the record');
      place += size;
      if (contig === NO_CONTIG) records.addWithoutContig(place);
      else {
        const isMapped = (flags & UNMAPPED) === 0;
        const spanned = isMapped ? spannedBases(view, cigar, operations) : 0;
        const end = position + (spanned === 0 ? 1 : spanned);
        const begin = Math.max(position, 0);
        if (isMapped) records.add(contig, begin, end, place);
        else records.addUnmapped(contig, begin, end, place);
      }
      at += size;
    }
    this.#place = place;
    return at;
  }

  /** Takes the next part of the header and returns its bytes; 0 if it is not complete. */
  #takeHeader(bytes: Uint8Array, view: DataView, at: number): number {
    const left = bytes.length - at;
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, left);
      this.#skip -= skipped;
      return skipped;
    }
    if (this.#next === 'magic') {
      if (left < 8) return 0;
      if (view.getUint32(at) !== 0x42414d01) throw badHeader('it does not begin with BAM');
      this.#skip = nonNegative(view.getInt32(at + 4, true));
      this.#next = 'contigs';
      return 8;
    }
    if (left < 4) return 0;
    if (this.#next === 'contigs') {
      this.#contigs = nonNegative(view.getInt32(at, true));
      this.#next = 'contig';
      if (this.#contigs === 0) this.#endHeader(4);
      return 4;
    }
    const nameBytes = nonNegative(view.getInt32(at, true));
    if (left < 8 + nameBytes) return 0;
    this.#addContig(
      Buffer.from(bytes.subarray(at + 4, at + 4 + Math.max(nameBytes - 1, 0))),
      nonNegative(view.getInt32(at + 4 + nameBytes, true)),
    );
    if (this.#names.length === this.#contigs) this.#endHeader(8 + nameBytes);
    return 8 + nameBytes;
  }

  #addContig(name: Buffer, bases: number): void {
    this.#names.push(name);
    if (bases <= this.#longest) return;
    this.#longest = bases;
    this.#longestName = name;
  }

  /** Chooses the kind of index; the last part of the header takes `bytes`. */
  #endHeader(bytes: number): void {
    const isLong = this.#longest >= positionLimit(FIXED_TREE);
    if (isLong && this.#wanted === 'bai')
      throw new GpusortError(
        'bad-records',
        `cannot index: contig ${displayName(this.#longestName)} is longer than 512 Mbp: use the CSI index`,
      );
    this.#kind = this.#wanted === 'csi' || isLong ? 'csi' : 'bai';
    this.#records = new RecordIndex(
      [this.#kind],
      this.#kind === 'csi' ? treeFor(this.#longest) : FIXED_TREE,
      this.#blocks,
      this.#nameOf,
    );
    this.#records.startAt(this.#place + bytes);
    this.#next = 'record';
  }
}

/**
 * The number of bases of the contig that a CIGAR spans. If it has too many operations for its field, they are in the
 * tag CG, and the field holds two operations instead, the second of which skips the same number of bases (section
 * 4.2.2).
 */
function spannedBases(view: DataView, cigar: number, operations: number): number {
  let sum = 0;
  for (let i = 0; i < operations; i++) {
    const operation = view.getUint32(cigar + 4 * i, true);
    if ((ADVANCING >> (operation & 15)) & 1) sum += operation >>> 4;
  }
  return sum;
}

function nonNegative(value: number): number {
  if (value < 0) throw badHeader('a length in it is negative');
  return value;
}

function badHeader(what: string): GpusortError {
  return new GpusortError('bad-records', `cannot index: the header of the BAM file: ${what}`);
}
