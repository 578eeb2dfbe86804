/**
 * Turns FASTQ into lines that end in NUL: a record is four lines, and the newlines inside it stay. Records are found by
 * counting newlines, never by their first byte: `@` may also begin qualities. A thread that frames a piece must guess;
 * the framer of the text checks that.
 */
import { asBuffer, copyBytes } from '../system/memory.js';
import { emptyLineError, fastxBench, PART_BYTES, ReadState } from './fastx-kernels.js';
import type { FramedPart, PartFramer } from './record-finder.js';

const NUL = 0;
const NEWLINE = 10;
const RETURN = 13;
const AT = 64;
const NOTHING = new Uint8Array(0);
/** A guess of where a record begins is judged by this many bytes: by all lines of most records. */
const JUDGED_BYTES = 1 << 14;

/**
 * Frames an input of `lines` lines per record: 4 for each read in it. The names of a record's reads must match. Empty
 * lines after the last record are dropped, because many programs and editors leave one; anywhere else they are refused.
 */
export function fastqFramer(label: string, lines = 4): PartFramer {
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
    const stop = frameParts(state, bytes, bytes);
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
    *pieces(piece, { head, lines: framedBytes, places }) {
      // All text is framed in place, and all bytes after an empty line are dropped.
      let kept = next(piece.subarray(0, head)).length;
      const framed = piece.subarray(head, head + framedBytes);
      // The beginning of the first record was a guess.
      if (emptyLine === 0 && state.isBetweenRecords) {
        state.pass(places);
        kept += framedBytes;
      } else kept += next(unframed(framed)).length;
      kept += next(piece.subarray(head + framedBytes)).length;
      yield piece.subarray(0, kept);
    },
  };
}

/**
 * Frames the next bytes of a text, in `target`, which has as many and may be the same. Returns where it stopped: at a
 * problem, or at the end.
 */
function frameParts(state: ReadState, bytes: Uint8Array, target: Uint8Array): number {
  const { kernels, memory, state: stateAt, room } = fastxBench();
  const text = new Uint8Array(memory.buffer);
  let stopped = bytes.length;
  state.copyTo(memory, stateAt);
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    const part = bytes.subarray(at, at + PART_BYTES);
    copyBytes(part, text, room);
    const stop = kernels.frameReads(stateAt, state.lines > 4 ? stateAt : 0, room, room + part.length, 0);
    copyBytes(text.subarray(room, stop), target, at);
    if (stop === room + part.length) continue;
    stopped = at + stop - room;
    break;
  }
  state.copyFrom(memory, stateAt);
  return stopped;
}

/** Turns framed records back, in place. */
function unframed(framed: Uint8Array): Uint8Array {
  for (let at = framed.indexOf(NUL); at >= 0; at = framed.indexOf(NUL, at)) framed[at] = NEWLINE;
  return framed;
}

/**
 * Frames the whole records in a piece of FASTQ that may begin and end inside a record, up to the first problem, in
 * `target`, which has as many bytes and may be the same. Null if no records are found; `target` is then not changed.
 */
export function frameReadsPart(piece: Uint8Array, lines: number, target: Uint8Array): FramedPart | null {
  const head = findRecord(piece, lines);
  if (head === null) return null;
  const state = ReadState.forLines(lines);
  const stop = frameParts(state, piece.subarray(head), target.subarray(head));
  const framed = asBuffer(target.subarray(head, head + stop)).lastIndexOf(NUL) + 1;
  if (target !== piece) {
    copyBytes(piece.subarray(0, head), target);
    copyBytes(piece.subarray(head + framed), target, head + framed);
  }
  return { bytes: piece.length, head, lines: framed, text: framed, places: state.ended - state.line };
}

/**
 * Where the first record after a newline seems to begin, judged by its first bytes; null: nowhere. A sequence begins
 * neither with `@` nor with `+`, so this is wrong only in damaged text, in very long qualities that begin with `@`, and
 * between pairs of equal names. (ReadBoundary is certain, but needs further records, and knows no pairs.)
 */
function findRecord(piece: Uint8Array, lines: number): number | null {
  const bytes = asBuffer(piece);
  for (let line = 0, at = 0; line < lines; line++) {
    at = bytes.indexOf(NEWLINE, at) + 1;
    if (at === 0) return null;
    if (bytes[at] === AT && mayBeginRecord(piece.subarray(at, at + JUDGED_BYTES), lines)) return at;
  }
  return null;
}

/** Whether a text does not contradict that it begins with a record. */
function mayBeginRecord(text: Uint8Array, lines: number): boolean {
  const { kernels, memory, state: stateAt, room } = fastxBench();
  const state = ReadState.forLines(lines);
  state.copyTo(memory, stateAt);
  copyBytes(text, new Uint8Array(memory.buffer), room);
  kernels.frameReads(stateAt, lines > 4 ? stateAt : 0, room, room + text.length, 1);
  state.copyFrom(memory, stateAt);
  return !state.hasProblem;
}
