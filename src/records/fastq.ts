/**
 * Turns FASTQ into lines that end in NUL: a record is four lines, and the newlines inside it stay. Records are found by
 * counting newlines, never by their first byte: `@` may also begin qualities.
 */
import { asBuffer, copyBytes } from '../system/memory.js';
import { emptyLineError, fastxBench, PART_BYTES, ReadState } from './fastx-kernels.js';
import type { Framer } from './record-finder.js';

const NEWLINE = 10;
const RETURN = 13;
const NOTHING = new Uint8Array(0);

/** A framer for a text with parts that may be framed elsewhere. */
export interface FastqFramer extends Framer {
  /** Whether the next byte begins a record. */
  readonly isBetweenRecords: boolean;
  /** Skips whole records that are already framed. `lines`: the total number of their lines. */
  pass(lines: number): void;
}

/**
 * Frames an input of `lines` lines per record: 4 for each read in it. The names of a record's reads must match. Empty
 * lines after the last record are dropped, because many programs and editors leave one; anywhere else they are refused.
 */
export function fastqFramer(label: string, lines = 4): FastqFramer {
  const state = ReadState.forLines(lines);
  /** The number of the first empty line after all records; 0: none so far. */
  let emptyLine = 0;
  const checkEmpty = (bytes: Uint8Array): void => {
    for (const byte of bytes) if (byte !== NEWLINE && byte !== RETURN) throw emptyLineError(label, emptyLine);
  };
  const next = (bytes: Uint8Array): Uint8Array => {
    if (emptyLine > 0) {
      checkEmpty(bytes);
      return NOTHING;
    }
    const stop = frameParts(state, bytes);
    if (stop === bytes.length) return bytes;
    state.check(label, bytes[stop]);
    emptyLine = state.ended + 1;
    checkEmpty(bytes.subarray(stop));
    return bytes.subarray(0, stop);
  };
  return {
    next,
    end: () => {
      const last = emptyLine === 0 && state.lacksNewline ? next(Uint8Array.of(NEWLINE)) : NOTHING;
      state.checkEnd(label);
      return last;
    },
    get isBetweenRecords() {
      return emptyLine === 0 && state.line === 0 && state.length === 0;
    },
    pass: (passed) => state.pass(passed),
  };
}

/** Frames the next bytes of a text, in place. Returns where it stopped: at a problem, or at the end. */
function frameParts(state: ReadState, bytes: Uint8Array): number {
  const { kernels, memory, state: stateAt, room } = fastxBench();
  const text = new Uint8Array(memory.buffer);
  let stopped = bytes.length;
  state.copyTo(memory, stateAt);
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    const part = bytes.subarray(at, at + PART_BYTES);
    copyBytes(part, text, room);
    const stop = kernels.frameReads(stateAt, state.lines > 4 ? stateAt : 0, room, room + part.length, 0);
    copyBytes(text.subarray(room, stop), part);
    if (stop === room + part.length) continue;
    stopped = at + stop - room;
    break;
  }
  state.copyFrom(memory, stateAt);
  return stopped;
}

/** Where in a record a block begins. */
export interface BlockStart {
  readonly lines: number;
  /** The line of the record, from 0. */
  readonly line: number;
  /** Whether the byte before the block belongs to that line. */
  readonly isOpen: boolean;
}

/** The framed whole records of a block: bytes [from, to), which have `lines` lines in total. */
export interface FramedInside {
  readonly from: number;
  readonly to: number;
  readonly lines: number;
}

/**
 * Frames the whole records inside a block, in place, up to the first problem. The first and the last record may be cut
 * off by the block: the framer of the text gets these bytes, and reports the problem.
 */
export function frameInside(block: Uint8Array, { lines, line, isOpen }: BlockStart): FramedInside {
  const bytes = asBuffer(block);
  let from = 0;
  for (let skipped = line === 0 && !isOpen ? lines : line; skipped < lines; skipped++) {
    const newline = bytes.indexOf(NEWLINE, from);
    if (newline < 0) return { from: bytes.length, to: bytes.length, lines: 0 };
    from = newline + 1;
  }
  const state = ReadState.forLines(lines);
  const framed = bytes.subarray(from, from + frameParts(state, bytes.subarray(from)));
  return { from, to: from + framed.lastIndexOf(0) + 1, lines: state.ended - state.line };
}
