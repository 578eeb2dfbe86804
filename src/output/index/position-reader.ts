/**
 * Finds the records of a sorted text for an index, with the kernels of kernels/wasm/index/: passes on the few that
 * change the index, and the number of all others. The text arrives in blocks, which may split records anywhere.
 */
import { compileInstalled } from '../../system/installed.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../../system/memory.js';
import type { RecordIndex } from './record-index.js';

interface IndexKernels {
  openEntries(at: number, end: number, levels: number): void;
  takeBam(at: number, end: number, contigs: number): number;
  takeLines(at: number, end: number, format: number, hasBefore: number): number;
  takePositions(at: number, end: number, contigs: number, textAt: number): number;
  textTaken(): number;
  entriesEnd(): number;
  passedMapped(): number;
  passedUnmapped(): number;
  passedEnd(): number;
  passedPosition(): number;
  hasRecords(): number;
  isOver(): number;
  problem(): number;
}

/** How the records of a format are found. */
type RecordKind =
  /** Of BAM, whose header lists `contigs` contigs. */
  | { readonly kind: 'bam'; readonly contigs: number }
  /** Lines of a format, which kernels/wasm/index/intervals.ts numbers; `numberOf` numbers a contig by its name. */
  | { readonly kind: 'lines'; readonly format: number; readonly numberOf: (name: Uint8Array) => number };

/** What is wrong with a record, by the number of the problem; `record` begins with it. */
type Describe = (problem: number, record: Uint8Array) => string;

/** The kernels' variables lie below. */
const ENTRIES_AT = 1 << 16;
/** Bytes of an entry, and where its fields are (kernels/wasm/index/entries.ts). */
const ENTRY_BYTES = 56;
const MAPPED = 1;
const SAME_CONTIG = 2;
const MOST_ENTRIES = 4096;
const TEXT_AT = ENTRIES_AT + ENTRY_BYTES * MOST_ENTRIES + KERNEL_SLACK;
/** Bytes of text that are looked at together: they fit a processor's own cache. */
const PART_BYTES = 1 << 18;
const NEWLINE = 10;

export class PositionReader {
  private readonly kernels: IndexKernels;
  private readonly memory = newMemory();
  private readonly kind: RecordKind;
  private readonly levels: number;
  private readonly records: RecordIndex;
  private readonly describe: Describe;
  /** The offset in the text of what is in the memory, and its bytes: the beginning of a record. */
  private place: number;
  private kept = 0;
  private hasRecords = false;
  private isOver = false;

  /** `levels`: of the tree of bins, below bin 0. `place`: the offset in the text at which the records begin. */
  constructor(kind: RecordKind, levels: number, place: number, records: RecordIndex, describe: Describe) {
    const module = compileInstalled('dist/wasm/index.wasm');
    const { memory } = this;
    this.kernels = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as IndexKernels;
    this.kind = kind;
    this.levels = levels;
    this.place = place;
    this.records = records;
    this.describe = describe;
  }

  /** The bytes of the incomplete record at the end of the text so far. */
  get restBytes(): number {
    return this.kept;
  }

  take(block: Uint8Array): void {
    for (let at = 0; at < block.length && !this.isOver; ) {
      // A long record is looked at again only when it has doubled.
      const part = block.subarray(at, at + Math.max(PART_BYTES, this.kept));
      at += part.length;
      growTo(this.memory, TEXT_AT + this.kept + part.length + KERNEL_SLACK);
      copyBytes(part, new Uint8Array(this.memory.buffer), TEXT_AT + this.kept);
      this.kept += part.length;
      this.read(this.wholeBytes(this.kept - part.length));
    }
  }

  /** Takes the positions of records of BAM in place of their text (see BlockOutput). */
  takePositions(positions: Uint8Array): void {
    const { kernels, memory, kind, levels } = this;
    const contigs = kind.kind === 'bam' ? kind.contigs : 0;
    for (let from = 0; from < positions.length; from += PART_BYTES) {
      const part = positions.subarray(from, from + PART_BYTES);
      growTo(memory, TEXT_AT + part.length + KERNEL_SLACK);
      copyBytes(part, new Uint8Array(memory.buffer), TEXT_AT);
      const end = TEXT_AT + part.length;
      for (let at = TEXT_AT; at < end; ) {
        kernels.openEntries(ENTRIES_AT, TEXT_AT - KERNEL_SLACK, levels);
        at = kernels.takePositions(at, end, contigs, TEXT_AT) >>> 0;
        const taken = (kernels.textTaken() >>> 0) - TEXT_AT;
        this.hand(this.place - TEXT_AT, this.place + taken);
        this.place += taken;
      }
    }
  }

  /** Ends a text of lines, the last of which may lack its newline. */
  end(): void {
    if (this.kept === 0 || this.isOver) return;
    const { kept } = this;
    growTo(this.memory, TEXT_AT + kept + 1 + KERNEL_SLACK);
    new Uint8Array(this.memory.buffer)[TEXT_AT + kept] = NEWLINE;
    this.read(kept + 1);
  }

  /** The bytes in the memory that may hold whole records; of lines, up to the last newline at or after `from`. */
  private wholeBytes(from: number): number {
    if (this.kind.kind === 'bam') return this.kept;
    const newline = Buffer.from(this.memory.buffer, TEXT_AT + from, this.kept - from).lastIndexOf(NEWLINE);
    return newline < 0 ? 0 : from + newline + 1;
  }

  /** Reads the records in the first `bytes` bytes in the memory, and keeps what follows them. */
  private read(bytes: number): void {
    const { kernels, kind, levels, place } = this;
    const end = TEXT_AT + bytes;
    let at = TEXT_AT;
    for (let from = -1; at > from && at < end && !this.isOver; ) {
      from = at;
      kernels.openEntries(ENTRIES_AT, TEXT_AT - KERNEL_SLACK, levels);
      at =
        (kind.kind === 'bam'
          ? kernels.takeBam(at, end, kind.contigs)
          : kernels.takeLines(at, end, kind.format, Number(this.hasRecords))) >>> 0;
      this.hand(place - TEXT_AT, place + this.kept);
      if (kind.kind === 'lines') {
        this.hasRecords = kernels.hasRecords() !== 0;
        this.isOver = kernels.isOver() !== 0;
      }
      if (kernels.problem() !== 0) {
        const record = new Uint8Array(this.memory.buffer, at, end - at + KERNEL_SLACK);
        throw this.records.bad(this.describe(kernels.problem(), record));
      }
    }
    const left = Math.max(0, TEXT_AT + this.kept - at);
    if (at > TEXT_AT) new Uint8Array(this.memory.buffer).copyWithin(TEXT_AT, at, at + left);
    this.place += at - TEXT_AT;
    this.kept = left;
  }

  /**
   * Passes on what the kernels have found. `base`: the difference between a place in the text and its address.
   * `textEnd`: the end of the text so far.
   */
  private hand(base: number, textEnd: number): void {
    const { kernels, memory, records, kind } = this;
    const { buffer } = memory;
    const view = new DataView(buffer);
    const end = kernels.entriesEnd();
    let contig = 0;
    for (let at = ENTRIES_AT; at < end; at += ENTRY_BYTES) {
      const before = view.getUint32(at + 8, true);
      if (before > 0) {
        const [mapped, unmapped] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
        records.pass(mapped, unmapped, Math.min(base + before, textEnd), view.getFloat64(at + 48, true));
      }
      const flags = view.getUint32(at + 24, true);
      if (kind.kind === 'bam') contig = view.getInt32(at + 16, true);
      else if ((flags & SAME_CONTIG) === 0) {
        const name = view.getUint32(at + 16, true);
        contig = kind.numberOf(new Uint8Array(buffer, name, view.getUint32(at + 20, true) - name));
      }
      records.add(
        contig,
        view.getFloat64(at + 32, true),
        view.getFloat64(at + 40, true),
        (flags & MAPPED) !== 0,
        Math.min(base + view.getUint32(at + 12, true), textEnd),
      );
    }
    const after = kernels.passedEnd() >>> 0;
    if (after > 0)
      records.pass(
        kernels.passedMapped(),
        kernels.passedUnmapped(),
        Math.min(base + after, textEnd),
        kernels.passedPosition(),
      );
  }
}
