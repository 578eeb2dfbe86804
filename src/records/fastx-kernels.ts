/**
 * The kernels of kernels/wasm/keys/records/fastx.ts, and the state of a FASTQ text between its parts. One instance and
 * one buffer for all inputs: text passes through them in parts that fit a processor's own cache.
 */
import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { bytesToText } from '../report/names.js';
import { GpusortError } from '../system/errors.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';

export interface FastxKernels {
  firstFree(): number;
  countBytes(at: number, end: number, byte: number): number;
  frameReads(state: number, first: number, at: number, end: number, single: number): number;
  frameSequences(at: number, end: number): number;
  passedLines(): number;
  joinReads(table: number, count: number, room: number): number;
  splitReads(at: number, end: number, targets: number, count: number, line: number): number;
}

export const PART_BYTES = 1 << 18;

/** The same numbers as in kernels/wasm/keys/records/fastx.ts. */
const NONE = 0;
const NO_AT = 1;
const NO_PLUS = 2;
const LENGTHS = 3;
const NUL_BYTE = 4;
const NAMES = 5;
const EMPTY_LINE = 6;

const FOUR_LINES = 'A record of FASTQ has four lines; `seqtk seq -l0` joins wrapped ones.';

/** The maximum number of bytes of a name that messages show. */
const SHOWN_BYTES = 80;

interface Bench {
  readonly kernels: FastxKernels;
  readonly memory: WebAssembly.Memory;
  /** Addresses: a state, and the buffer for a part. */
  readonly state: number;
  readonly room: number;
}

let loaded: Bench | undefined;

export function fastxBench(): Bench {
  if (loaded !== undefined) return loaded;
  const memory = newMemory();
  const kernels = openKeyKernels<FastxKernels>(compileKeyKernels(), memory);
  const state = Math.ceil(kernels.firstFree() / 16) * 16;
  const room = state + ReadState.BYTES;
  // A byte held back from the previous part may precede a part.
  growTo(memory, room + 1 + PART_BYTES + KERNEL_SLACK);
  return (loaded = { kernels, memory, state, room });
}

/** How many bytes of a text have this value. */
export function countBytes(text: Uint8Array, byte: number): number {
  const { kernels, memory, room } = fastxBench();
  const copy = new Uint8Array(memory.buffer);
  let count = 0;
  for (let at = 0; at < text.length; at += PART_BYTES) {
    const part = text.subarray(at, at + PART_BYTES);
    copyBytes(part, copy, room);
    count += kernels.countBytes(room, room + part.length, byte);
  }
  return count;
}

/** A view of the kernels' state of one FASTQ text. */
export class ReadState {
  static readonly BYTES = 2096;
  private readonly view: DataView;
  private readonly bytes: Uint8Array;

  /** A copy, or a view of the kernels' memory from `at` on. */
  constructor(buffer: ArrayBuffer = new ArrayBuffer(ReadState.BYTES), at = 0) {
    this.view = new DataView(buffer, at, ReadState.BYTES);
    this.bytes = new Uint8Array(buffer, at, ReadState.BYTES);
  }

  /** For a text that begins with a record of `lines` lines. */
  static forLines(lines: number): ReadState {
    const state = new ReadState();
    state.view.setUint32(4, lines, true);
    return state;
  }

  copyTo(memory: WebAssembly.Memory, at: number): void {
    new Uint8Array(memory.buffer).set(this.bytes, at);
  }

  copyFrom(memory: WebAssembly.Memory, at: number): void {
    this.bytes.set(new Uint8Array(memory.buffer, at, ReadState.BYTES));
  }

  /** The line of the record that is open, from 0. */
  get line(): number {
    return this.view.getUint32(0, true);
  }

  get lines(): number {
    return this.view.getUint32(4, true);
  }

  /** The number of lines that have ended. */
  get ended(): number {
    return Number(this.view.getBigUint64(8, true));
  }

  /** Skips lines of whole records. */
  pass(lines: number): void {
    this.view.setBigUint64(8, BigInt(this.ended + lines), true);
  }

  /** The bytes of the open line so far. After a line of qualities with the wrong length: the right length. */
  get length(): number {
    return Number(this.view.getBigUint64(16, true));
  }

  get bases(): number {
    return Number(this.view.getBigUint64(24, true));
  }

  /** The first name of the record, and the one that differs from it, for messages. */
  get name(): string {
    return this.quoted(48, this.view.getUint32(40, true));
  }

  get other(): string {
    return this.quoted(1072, this.view.getUint32(44, true));
  }

  private quoted(at: number, bytes: number): string {
    const shown = bytesToText(this.bytes.subarray(at, at + Math.min(bytes, SHOWN_BYTES)));
    return `"${shown}${bytes > SHOWN_BYTES ? '...' : ''}"`;
  }

  get problem(): number {
    return this.view.getUint32(36, true);
  }

  /** Whether there is an empty line where a record should begin. */
  get atEmptyLine(): boolean {
    return this.problem === EMPTY_LINE;
  }

  /** Whether two reads of a record have different names. */
  get namesDiffer(): boolean {
    return this.problem === NAMES;
  }

  /** Whether only the newline of a record's last line is missing. The line may be empty. */
  get lacksNewline(): boolean {
    return this.length > 0 || (this.line > 0 && this.line === this.lines - 1 && this.bases === 0);
  }

  /** Throws `bad-records` if the last call of a kernel stopped at a problem. `byte`: the byte there. */
  check(label: string, byte: number): void {
    const { problem } = this;
    if (problem === NONE || problem === EMPTY_LINE) return;
    const line = `${label}: line ${this.ended + 1}`;
    switch (problem) {
      case NO_AT:
        throw new GpusortError('bad-records', `${line} does not begin with "@"`, {
          hint: byte === 62 ? 'Use --format fasta if the file is FASTA.' : FOUR_LINES,
        });
      case NO_PLUS:
        throw new GpusortError(
          'bad-records',
          `${line} does not begin with "+": is a sequence wrapped over several lines?`,
          { hint: 'Unwrap it, for example with `seqtk seq -l0`.' },
        );
      case LENGTHS:
        throw new GpusortError(
          'bad-records',
          `${line}: sequence and qualities differ in length: ${this.bases} and ${this.length}`,
          { hint: FOUR_LINES },
        );
      case NUL_BYTE:
        throw new GpusortError('bad-records', `${line} contains NUL, which FASTQ cannot contain`);
      default:
        throw new GpusortError('bad-records', `${line} names ${this.other}, but its mate is ${this.name}`, {
          hint: 'Mates have equal names up to the first blank, except for /1 and /2.',
        });
    }
  }

  /** Throws `bad-records` if the input ends in a record. */
  checkEnd(label: string): void {
    const { line, lines } = this;
    if (line === 0) return;
    const what = lines > 4 && line % 4 === 0 ? 'group of reads' : 'record';
    throw new GpusortError(
      'bad-records',
      `${label}: line ${this.ended - line + 1}: the last ${what} is cut off: it has ${line} of ${lines} lines`,
    );
  }
}

/** The error for an empty line, number `line`, before further reads. */
export function emptyLineError(label: string, line: number): GpusortError {
  return new GpusortError('bad-records', `${label}: line ${line} is empty, but reads follow it`, {
    hint: 'Remove the empty line.',
  });
}
