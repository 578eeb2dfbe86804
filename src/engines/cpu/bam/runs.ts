/**
 * Makes sorted runs from the groups of a BAM file. A thread does not know where the first record of its group begins,
 * and guesses; the end of the previous group shows whether it was right.
 */
import type { BamInput } from '../../../contract/bam-sort.js';
import { Declined } from '../../../contract/engine.js';
import { copyBytes, newMemory, uint32 } from '../../../system/memory.js';
import { coordinateIndexBytes, indexAt } from './keys.js';
import type { BamRun } from './ranges.js';
import { LEAST_RECORD, RecordSorter } from './record-sorter.js';
import { fill, type GroupSize, type SortedGroup, type TextPlace } from './tasks.js';

/** If a group needs more room than usual, later ones get this many times as much. Unused memory costs nothing. */
const SPARE = 1.1;
/** Bytes of the length of a record. */
const LENGTH_BYTES = 4;

export class BamRuns {
  readonly texts: SharedArrayBuffer[] = [];
  /** In the order of the input. */
  readonly runs: BamRun[] = [];
  private readonly hasRows: boolean;
  private readonly references: number;
  /** Bytes of each memory for sorted text and its index. A few large ones are posted to threads quickly. */
  private readonly textBytes: number;
  private filled = 0;
  /** Maximum bytes of a record. */
  private readonly mostRecord: number;
  /** Bytes of the longest group so far, before or after sorting, or of the longest record that spans groups. */
  longest = 0;
  /** Bytes of all runs, and of their indexes. */
  heldBytes = 0;
  /** The beginning of a record that ends in a later group. */
  private rest: Uint8Array = new Uint8Array();
  /** Room for a group's records and for their index, per byte of the group's text. */
  private readonly shares: { text: number; index: number };
  /** For records that span groups. */
  private readonly sorter: RecordSorter;

  constructor({ rows, references }: Pick<BamInput, 'rows' | 'references'>, textBytes: number, mostRecord: number) {
    this.hasRows = rows !== null;
    this.references = references;
    this.sorter = new RecordSorter(newMemory(), rows);
    this.shares = { text: 1, index: this.hasRows ? 1 : coordinateIndexBytes(1) / LEAST_RECORD };
    this.textBytes = textBytes;
    this.mostRecord = mostRecord;
  }

  /** Whether the groups end with a record. */
  get isWhole(): boolean {
    return this.rest.length === 0;
  }

  /** Memory for the records of a group with `bytes` bytes of text, and their index. */
  placeOf(bytes: number): TextPlace {
    const { text, index } = this.shares;
    this.longest = Math.max(this.longest, bytes);
    return this.place({ bytes: Math.ceil(bytes * text), indexBytes: Math.ceil(bytes * index) });
  }

  /** Larger memory for a group that does not fit into its place; the places of later groups are larger, too. */
  largerPlace(groupBytes: number, needs: GroupSize): TextPlace {
    const { shares } = this;
    shares.text = Math.max(shares.text, (SPARE * needs.bytes) / groupBytes);
    shares.index = Math.max(shares.index, (SPARE * needs.indexBytes) / groupBytes);
    return this.place(needs);
  }

  private place({ bytes, indexBytes }: GroupSize): TextPlace {
    const textRoom = Math.ceil(bytes / 8) * 8;
    const all = textRoom + Math.ceil(indexBytes / 8) * 8;
    const room = (this.texts.at(-1)?.byteLength ?? 0) - this.filled;
    if (room < all) {
      this.texts.push(new SharedArrayBuffer(Math.max(8 * Math.ceil(this.textBytes / 8), all)));
      this.filled = 0;
    }
    const at = this.filled;
    this.filled += all;
    return { text: this.texts.length - 1, memory: this.texts.at(-1)!, at, bytes, indexAt: at + textRoom, indexBytes };
  }

  /**
   * Where the first record begins in the next group, whose text has `bytes` bytes and begins with `head`. Returns
   * `bytes` if `head` does not show it, or if none begins there. Throws Declined.
   */
  firstIn(head: Uint8Array, bytes: number): number {
    const { rest } = this;
    if (rest.length === 0) return 0;
    const size = this.sizeOf(joined(rest, head.subarray(0, LENGTH_BYTES)));
    return size === null ? bytes : Math.min(size - rest.length, bytes);
  }

  /** Takes the next group; its first record is where `firstIn` says. Throws Declined. */
  take(place: TextPlace, { count, size, head, tail, isMalformed }: SortedGroup): void {
    if (isMalformed) throw new Declined('a record is malformed');
    this.rest = joined(this.rest, head);
    if (this.rest.length > 0 && this.rest.length === this.sizeOf(this.rest)) {
      this.takeRecord(this.rest);
      this.rest = new Uint8Array();
    }
    if (count > 0) this.addRun(place, count, size);
    this.rest = joined(this.rest, tail);
  }

  /** The bytes of a record, of which `record` is the beginning; null: its length is incomplete. Throws Declined. */
  private sizeOf(record: Uint8Array): number | null {
    if (record.length < LENGTH_BYTES) return null;
    const bytes = LENGTH_BYTES + uint32(record, 0);
    if (bytes < LEAST_RECORD) throw new Declined('a record is malformed');
    if (bytes > this.mostRecord) throw new Declined('a record is too long');
    return bytes;
  }

  private takeRecord(record: Uint8Array): void {
    const { sorter } = this;
    const { text: own } = sorter.place(record.length);
    copyBytes(record, own);
    const { text, count, isMalformed } = sorter.sort(own, this.references, 0);
    if (isMalformed) throw new Declined('a record is malformed');
    const index = sorter.index(count);
    const size = { bytes: text.length, indexBytes: index.length };
    const place = this.place(size);
    fill(place, text, index);
    this.addRun(place, count, size);
  }

  private addRun(place: TextPlace, count: number, { bytes, indexBytes }: GroupSize): void {
    const { text, at, memory, indexAt: from } = place;
    this.heldBytes += bytes + indexBytes;
    this.longest = Math.max(this.longest, bytes);
    this.runs.push({ text, at, ...indexAt(this.hasRows, memory, from, count) });
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.length === 0 ? b : b.length === 0 ? a : Buffer.concat([a, b]);
}
