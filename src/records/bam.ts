/**
 * Turns the records of BAM (SAM specification, section 4.2) into lines, and back. A line is a record with its length,
 * encoded so that no byte of it is a newline (kernels/wasm/keys/records/cobs.ts). Knows no files: input is
 * decompressed, and begins after the header (headers.ts). All inputs and outputs share one instance of the kernels.
 */

import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { GpusortError } from '../system/errors.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import type { Framer, Restorer } from './record-finder.js';

interface BamKernels {
  firstFree(): number;
  resumeEncoding(missing: number, open: number): void;
  encodeBam(at: number, end: number, target: number, references: number): number;
  missingBytes(): number;
  openBytes(): number;
  stoppedAt(): number;
  recordsBegun(): number;
  lastRecord(): number;
  recordProblem(): number;
  resumeDecoding(rest: number, due: boolean): void;
  decodeLines(at: number, end: number, target: number): number;
  restOfBlock(): number;
  newlineDue(): number;
}

/** Text passes through the kernels' memory in parts. A part and its result fit in a processor's own cache. */
const PART_BYTES = 1 << 18;
/** The bytes read of a record before its length is trusted, and the longest open block with its code. */
export const FIXED_FIELD_BYTES = 36;
const BLOCK_BYTES = 255;

/**
 * The text of a BAM file is usually about this many times the file's size. SAM usually does not grow when it becomes
 * BAM.
 */
export const TEXT_RATIO = 4;

/** The problems of records, numbered as in kernels/wasm/keys/records/cobs.ts. */
const SIZE_PROBLEM = 1;
const NAME_PROBLEM = 2;
const FIT_PROBLEM = 3;

/** The maximum bytes of lines that `bytes` of BAM become: 1 more for each 254, and 2 for each record. */
export function mostLineBytes(bytes: number): number {
  return bytes + Math.ceil(bytes / 16) + 2 * BLOCK_BYTES;
}

/** The kernels, and the addresses of the texts that they read and write. */
interface BamWorkbench {
  readonly bam: BamKernels;
  readonly memory: WebAssembly.Memory;
  readonly source: number;
  readonly target: number;
}

let loaded: BamWorkbench | undefined;

function workbench(): BamWorkbench {
  if (loaded !== undefined) return loaded;
  const memory = newMemory();
  const bam = openKeyKernels<BamKernels>(compileKeyKernels(), memory);
  const source = bam.firstFree();
  const target = source + PART_BYTES + KERNEL_SLACK;
  growTo(memory, target + mostLineBytes(PART_BYTES) + KERNEL_SLACK);
  return (loaded = { bam, memory, source, target });
}

/**
 * A piece of BAM whose whole records were turned into lines: `head` bytes of BAM, `lines` bytes of lines, then BAM
 * again; `bytes` bytes in total. The lines are `records` records, which had `text` bytes of BAM.
 */
export interface FramedPart {
  readonly bytes: number;
  readonly head: number;
  readonly lines: number;
  readonly records: number;
  readonly text: number;
}

/** How threads frame the records of an input while they inflate it. */
export interface BamFraming {
  /** The number of the input's references; null: its header has not been read yet, and nothing is framed. */
  references: number | null;
  /** Which of the bytes read last are lines; null: none. */
  framed: FramedPart | null;
}

/** Makes lines of the records of one input. */
export class BamFramer implements Framer {
  private readonly placeOf: (record: number, at: number) => string;
  private readonly references: number;
  /** The number of bytes of the input before `kept`, and the offset of the last record that began there. */
  private done: number;
  private lastAt: number;
  private begun = 0;
  /**
   * The number of bytes that the last record still lacks, and the bytes of its unfinished block, after room for a code.
   */
  private missing = 0;
  private openBytes = 0;
  private readonly open = new Uint8Array(BLOCK_BYTES);
  /** Input that does not yet contain a record's fixed fields. */
  private kept = new Uint8Array();
  private lines = new Uint8Array();

  /**
   * `label` names the input in messages; places count from its beginning. `bytes`: the number of bytes before the
   * records; null: places in the input are unknown, because its records were changed. Only the number of `references`
   * matters.
   */
  constructor(
    label: string,
    { references, bytes }: { readonly references: { readonly length: number }; readonly bytes: number | null },
  ) {
    this.placeOf = (record, at) =>
      `${label}: record ${record}${bytes === null ? '' : `, at byte ${at + 1} of the uncompressed data,`}`;
    this.references = references.length;
    this.done = this.lastAt = bytes ?? 0;
  }

  /** The number of records that have begun. */
  get records(): number {
    return this.begun;
  }

  /** Whether the bytes so far end at the end of a record. */
  get isWhole(): boolean {
    return this.missing === 0 && this.kept.length === 0;
  }

  next(bytes: Uint8Array): Uint8Array {
    const most = mostLineBytes(bytes.length + FIXED_FIELD_BYTES);
    if (this.lines.length < most) this.lines = Buffer.allocUnsafeSlow(most);
    return this.lines.subarray(0, this.frame(bytes, this.lines));
  }

  /** Frames `bytes`, and writes the lines at the beginning of `target`; returns how many bytes they have. */
  frame(bytes: Uint8Array, target: Uint8Array): number {
    let filled = 0;
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + PART_BYTES - this.kept.length);
      at += part.length;
      const encoded = this.encode(part);
      copyBytes(encoded, target, filled);
      filled += encoded.length;
    }
    return filled;
  }

  /** The lines of a piece that another framer has framed in part; each is valid until the next one is taken. */
  *pieces(piece: Uint8Array, { head, lines, records, text }: FramedPart): Generator<Uint8Array, void> {
    yield this.next(piece.subarray(0, head));
    const framed = piece.subarray(head, head + lines);
    // The beginning of the first record was a guess.
    if (this.isWhole) {
      this.begun += records;
      this.done += text;
      yield framed;
    } else yield this.next(bamRestorer().next(framed, new Uint8Array(text)));
    yield this.next(piece.subarray(head + lines));
  }

  end(): Uint8Array {
    if (this.isWhole) return new Uint8Array();
    const { missing, begun, lastAt, done } = this;
    const place = missing > 0 ? this.placeOf(begun, lastAt) : this.placeOf(begun + 1, done);
    throw new GpusortError('bad-records', `${place} is cut off`, {
      hint: 'Get the whole file: this one is truncated.',
    });
  }

  /** Encodes `kept` and `part`, except an incomplete end, which it keeps; returns the lines, in the kernels' memory. */
  private encode(part: Uint8Array): Uint8Array {
    const { bam, memory, source, target } = workbench();
    const { kept, references, open } = this;
    const text = new Uint8Array(memory.buffer, source, kept.length + part.length);
    text.set(kept);
    copyBytes(part, text, kept.length);
    new Uint8Array(memory.buffer, target).set(open.subarray(0, 1 + this.openBytes));
    bam.resumeEncoding(this.missing, this.openBytes);
    const end = bam.encodeBam(source, source + text.length, target, references);
    const stop = bam.stoppedAt() - source;
    if (bam.recordsBegun() > 0) this.lastAt = this.done + bam.lastRecord() - source;
    this.begun += bam.recordsBegun();
    this.missing = bam.missingBytes() >>> 0;
    this.done += stop;
    this.kept = text.slice(stop, stop + FIXED_FIELD_BYTES);
    if (bam.recordProblem() !== 0)
      throw badRecord(this.placeOf(this.begun + 1, this.done), bam.recordProblem(), this.kept, references);
    this.openBytes = bam.openBytes();
    open.set(new Uint8Array(memory.buffer, end, 1 + this.openBytes));
    return new Uint8Array(memory.buffer, target, end - target);
  }
}

/** `fixed`: the fixed fields of the record, `block_size` included. */
function badRecord(place: string, problem: number, fixed: Uint8Array, references: number): GpusortError {
  const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.length);
  const size = view.getInt32(0, true);
  const sequence = view.getUint32(20, true);
  const needed = 32 + view.getUint8(12) + 4 * view.getUint16(16, true) + Math.ceil(sequence / 2) + sequence;
  const ids = [view.getInt32(4, true), view.getInt32(24, true)];
  const foreign = ids.find((id) => id < -1 || id >= references);
  const what =
    problem === SIZE_PROBLEM
      ? `has a length of ${size}, but a BAM record has 32 bytes or more`
      : problem === NAME_PROBLEM
        ? 'has a read name of no bytes, but even an empty one ends in NUL'
        : problem === FIT_PROBLEM
          ? `has ${size} bytes, but its fields need ${needed}`
          : null;
  return what === null
    ? foreignReference(place, foreign!, references)
    : new GpusortError('bad-records', `${place} ${what}`);
}

/** The error for a record that refers to a reference that the header does not list. `place`: where the record is. */
export function foreignReference(place: string, reference: number, references: number): GpusortError {
  return new GpusortError(
    'bad-records',
    `${place} refers to reference ${reference}, but the header lists ${references}`,
  );
}

/** Turns lines back into the records. */
export function bamRestorer(): Restorer {
  /** The number of bytes of a block that are still to come, and whether a newline follows the block. */
  let rest = 0;
  let due = false;
  return {
    next(block, records) {
      const { bam, memory, source, target } = workbench();
      let filled = 0;
      bam.resumeDecoding(rest, due);
      for (let at = 0; at < block.length; at += PART_BYTES) {
        const part = block.subarray(at, at + PART_BYTES);
        copyBytes(part, new Uint8Array(memory.buffer), source);
        const end = bam.decodeLines(source, source + part.length, target);
        copyBytes(new Uint8Array(memory.buffer, target, end - target), records, filled);
        filled += end - target;
      }
      rest = bam.restOfBlock();
      due = bam.newlineDue() !== 0;
      return records.subarray(0, filled);
    },
    end: () => new Uint8Array(),
  };
}
