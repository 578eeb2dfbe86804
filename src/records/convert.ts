/**
 * Converts whole alignments with the kernels of kernels/wasm/alignments/: lines of SAM to records of BAM, and back.
 * Knows neither headers nor files. Each thread has its own converter.
 */
import type { AlignmentFormat } from '../job/job.js';
import { compileInstalled } from '../system/installed.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import type { Resumable } from '../system/resumable.js';
import type { UnconvertedRecord } from './convert-problem.js';
import { formatG, nearestSingle } from './decimal.js';

interface ConvertKernels {
  freeFrom(): number;
  contigTableBytes(count: number): number;
  makeNameTable(table: number, count: number, at: number, end: number): void;
  setContigs(table: number): void;
  toBam(at: number, end: number, target: number, enough: number): number;
  toSam(at: number, end: number, target: number, enough: number): number;
  takenTo(): number;
  convertProblem(): number;
  problemFrom(): number;
  problemTo(): number;
}

/** The result of a conversion: the bytes written, and the record before which it stopped; null: it did not stop. */
export interface ConvertedRecords {
  readonly bytes: number;
  readonly unconverted: UnconvertedRecord | null;
}

/** Bytes that one call of the kernels writes: they fit a processor's own cache. */
const STEP_BYTES = 1 << 18;
const WORD_BYTES = 4;
const NEWLINE = 10;
/** The bytes of a BAM record that give its length. */
const SIZE_BYTES = 4;

let compiled: WebAssembly.Module | undefined;

export class AlignmentConverter {
  private readonly to: AlignmentFormat;
  private readonly memory = newMemory();
  private readonly kernels: ConvertKernels;
  /** Where the records to convert are put. */
  private readonly source: number;

  /** `contigs`: the names in their order, each followed by a newline. */
  constructor(to: AlignmentFormat, contigs: Uint8Array) {
    this.to = to;
    compiled ??= compileInstalled('dist/wasm/alignments.wasm');
    const { memory } = this;
    const bytes = (at: number, end: number): Buffer => Buffer.from(memory.buffer, at, end - at);
    const env = {
      memory,
      readDecimal: (at: number, end: number) => Number(bytes(at, end).toString('latin1')),
      readNearest: (at: number, end: number) => nearestSingle(bytes(at, end).toString('latin1')),
      putDecimal: (value: number, at: number) => {
        const text = formatG(value);
        bytes(at, at + text.length).write(text, 'latin1');
        return at + text.length;
      },
    };
    const kernels = new WebAssembly.Instance(compiled, { env }).exports as unknown as ConvertKernels;
    this.kernels = kernels;
    const names = kernels.freeFrom();
    const table = aligned(names + contigs.length + KERNEL_SLACK);
    const count = contigs.reduce((sum, byte) => sum + Number(byte === NEWLINE), 0);
    this.source = table + kernels.contigTableBytes(count);
    growTo(memory, this.source + KERNEL_SLACK);
    new Uint8Array(memory.buffer).set(contigs, names);
    kernels.makeNameTable(table, count, names, names + contigs.length);
    kernels.setContigs(table);
  }

  /** Converts the whole records in `records` into `target`, which has room for them (`room` of a RecordCut). */
  *steps(records: Uint8Array, target: Uint8Array): Resumable<ConvertedRecords> {
    const { kernels, memory, source, to } = this;
    const end = source + records.length;
    const room = aligned(end + KERNEL_SLACK);
    // A record whose CIGAR comes from a tag is written twice.
    growTo(memory, room + STEP_BYTES + 2 * target.length + KERNEL_SLACK);
    copyBytes(records, new Uint8Array(memory.buffer), source);
    let filled = 0;
    for (let at = source; at < end; ) {
      const stop =
        to === 'bam'
          ? kernels.toBam(at, end, room, room + STEP_BYTES)
          : kernels.toSam(at, end, room, room + STEP_BYTES);
      copyBytes(new Uint8Array(memory.buffer, room, stop - room), target, filled);
      filled += stop - room;
      at = kernels.takenTo();
      if (kernels.convertProblem() !== 0) return { bytes: filled, unconverted: this.unconverted(at, end) };
      yield;
    }
    return { bytes: filled, unconverted: null };
  }

  /** The record at `at`, which the kernels could not convert. */
  private unconverted(at: number, end: number): UnconvertedRecord {
    const { kernels, memory, to } = this;
    const copy = (from: number, stop: number): Uint8Array => new Uint8Array(memory.buffer, from, stop - from).slice();
    const rest = Buffer.from(memory.buffer, at, end - at);
    const bytes = to === 'bam' ? rest.indexOf(NEWLINE) : SIZE_BYTES + rest.readUInt32LE(0);
    return {
      problem: kernels.convertProblem(),
      record: copy(at, at + bytes),
      about: copy(kernels.problemFrom(), kernels.problemTo()),
    };
  }
}

function aligned(address: number): number {
  return Math.ceil(address / WORD_BYTES) * WORD_BYTES;
}

/** The place after whole records, and the maximum bytes that these records become. */
interface RecordCut {
  readonly end: number;
  readonly room: number;
}

/** Finds whole records at the beginning of a text. */
export type RecordCutter = (text: Buffer) => RecordCut;

/**
 * Lines of SAM. A record of BAM has at most twice as many bytes: an operation of a CIGAR or a value of an array has two
 * characters or more and takes 4 bytes. The shortest line, of 21 bytes, becomes 37.
 */
export const cutLines: RecordCutter = (text) => {
  const end = text.lastIndexOf(NEWLINE) + 1;
  return { end, room: mostConverted(end) };
};

/** The maximum bytes of BAM that this many bytes of lines become. */
export const mostConverted = (lineBytes: number): number => 2 * lineBytes + KERNEL_SLACK;

/** The fixed fields of a record, and its lengths in them. */
const FIXED_BYTES = 36;
const [CONTIG, NAME_BYTES, OPERATIONS, BASES, MATE_CONTIG] = [4, 12, 16, 20, 24];
/**
 * The maximum characters of the columns of fixed size with their tabs; of a CIGAR's operation; of two bases with their
 * qualities; and of each byte of the tags, where a value of one byte becomes a comma and up to four characters.
 */
const FIXED_TEXT = 64;
const OPERATION_TEXT = 10;
const BASE_TEXT = 2;
const TAG_TEXT = 5;
/** A task gets at most about this many bytes of lines, even if contigs have very long names. */
const MOST_ROOM = 8 << 20;

/** Records of BAM. `nameBytes`: the length of each contig's name. */
export function cutRecords(nameBytes: Uint32Array): RecordCutter {
  return (text) => {
    const view = new DataView(text.buffer, text.byteOffset, text.length);
    let room = KERNEL_SLACK;
    let at = 0;
    while (at + FIXED_BYTES <= text.length && room < MOST_ROOM) {
      const next = at + SIZE_BYTES + view.getUint32(at, true);
      if (next > text.length) break;
      const name = text[at + NAME_BYTES];
      const operations = view.getUint16(at + OPERATIONS, true);
      const bases = view.getUint32(at + BASES, true);
      const tags = next - at - FIXED_BYTES - name - 4 * operations - ((bases + 1) >>> 1) - bases;
      const contigs =
        (nameBytes[view.getInt32(at + CONTIG, true)] ?? 0) + (nameBytes[view.getInt32(at + MATE_CONTIG, true)] ?? 0);
      room += FIXED_TEXT + name + OPERATION_TEXT * operations + BASE_TEXT * bases + TAG_TEXT * tags + contigs;
      at = next;
    }
    return { end: at, room };
  };
}
