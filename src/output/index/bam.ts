/**
 * Indexes of a BAM file sorted by coordinate: .bai, or .csi if a contig is long. Parses the header for the lengths of
 * contigs; kernels find the positions of records. Source: the specification of SAM, sections 4.2 and 5.
 */

import { displayName } from '../../report/names.js';
import { GpusortError } from '../../system/errors.js';
import { FIXED_TREE, positionLimit, treeFor } from './bin-tree.js';
import { BlockTable, type IndexBuilder } from './index-builder.js';
import { PositionReader } from './position-reader.js';
import { RecordIndex } from './record-index.js';

/** The problems of records, numbered as in kernels/wasm/index/problem.ts. */
const BAD_SIZE = 1;
const BAD_CONTIG = 2;
const BAD_POSITION = 3;

/** The index of a BAM file; `auto`: .bai if it holds all contigs of the header. */
export function bamIndex(kind: 'bai' | 'csi' | 'auto'): IndexBuilder {
  return new BamIndex(kind);
}

class BamIndex implements IndexBuilder {
  readonly #blocks = new BlockTable();
  readonly #names: Buffer[] = [];
  readonly #nameOf = (contig: number): string => displayName(this.#names[contig]);
  readonly #wanted: 'bai' | 'csi' | 'auto';
  #kind: 'bai' | 'csi';
  #longest = 0;
  #longestName: Buffer = Buffer.alloc(0);
  /** The next part of the header, and the beginning of it that has arrived. */
  #next: 'magic' | 'contigs' | 'contig' = 'magic';
  #head: Uint8Array = new Uint8Array();
  /** Bytes of the header's text that are still to be skipped. */
  #skip = 0;
  #contigs = 0;
  /** Bytes of complete parts so far: the offset in the text. */
  #place = 0;
  /** Once the header is complete. */
  #records: RecordIndex | undefined;
  #reader: PositionReader | undefined;

  constructor(kind: 'bai' | 'csi' | 'auto') {
    this.#wanted = kind;
    this.#kind = kind === 'csi' ? 'csi' : 'bai';
  }

  get kind(): 'bai' | 'csi' {
    return this.#kind;
  }

  text(block: Uint8Array): void {
    const records = this.#reader === undefined ? this.#takeHeader(block) : block;
    this.#reader?.take(records);
  }

  positions(positions: Uint8Array): void {
    if (this.#reader === undefined) throw badHeader('it is cut off');
    this.#reader.takePositions(positions);
  }

  block(textBytes: number, compressedBytes: number): void {
    this.#blocks.add(textBytes, compressedBytes);
    this.#records?.blocksAdded();
  }

  finish(): Buffer {
    if (this.#records === undefined) throw badHeader('it is cut off');
    if (this.#reader!.restBytes > 0) throw this.#records.bad('it is cut off');
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

  /** Takes the parts of the header that are complete, and returns the text after them. */
  #takeHeader(block: Uint8Array): Uint8Array {
    const bytes = this.#head.length === 0 ? block : Buffer.concat([this.#head, block]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    for (let taken = -1; taken !== 0 && this.#reader === undefined; at += taken, this.#place += taken)
      taken = this.#takePart(bytes, view, at);
    const rest = bytes.subarray(at);
    this.#head = this.#reader === undefined ? new Uint8Array(rest) : new Uint8Array();
    return rest;
  }

  /** Takes the next part of the header and returns its bytes; 0 if it is not complete. */
  #takePart(bytes: Uint8Array, view: DataView, at: number): number {
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
    const tree = this.#kind === 'csi' ? treeFor(this.#longest) : FIXED_TREE;
    const records = new RecordIndex([this.#kind], tree, this.#blocks, this.#nameOf);
    const begin = this.#place + bytes;
    records.pass(0, 0, begin, 0);
    this.#records = records;
    this.#reader = new PositionReader({ kind: 'bam', contigs: this.#contigs }, tree.levels, begin, records, problemOf);
  }
}

/** What is wrong with a record, which begins with its length. */
function problemOf(number: number, record: Uint8Array): string {
  const field = (at: number): number => new DataView(record.buffer, record.byteOffset).getInt32(at, true);
  if (number === BAD_SIZE) return `its length, ${field(0)}, is too small`;
  if (number === BAD_CONTIG) return `the header lists no contig ${field(4)}`;
  if (number === BAD_POSITION) return `its position is ${field(8) + 1}`;
  return 'its CIGAR extends past the end of the record';
}

function nonNegative(value: number): number {
  if (value < 0) throw badHeader('a length in it is negative');
  return value;
}

function badHeader(what: string): GpusortError {
  return new GpusortError('bad-records', `cannot index: the header of the BAM file: ${what}`);
}
