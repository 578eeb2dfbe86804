/**
 * Turns FASTA into lines that end in NUL: a record begins with `>` at the beginning of a line, and the newlines inside
 * it stay, so wrapped sequences stay wrapped.
 */

import { GpusortError } from '../system/errors.js';
import { asBuffer, copyBytes } from '../system/memory.js';
import { fastxBench, PART_BYTES } from './fastx-kernels.js';
import type { FramedPart, PartFramer } from './record-finder.js';

/** The end of a record and the beginning of the next one. */
const RECORD_BORDER = '\n>';
const NUL = 0;
const NEWLINE = 10;
const SEMICOLON = 59;
const GREATER = 62;
const AT = 64;

/** Frames an input. Text before the first `>` is refused, and so are comments, which begin with `;`. */
export function fastaFramer(label: string): PartFramer {
  /**
   * Whether there was any text; and whether its last byte, a newline, is held back until the next byte shows whether it
   * ends a record.
   */
  let begun = false;
  let held = false;
  let line = 1;
  let result = new Uint8Array(0);
  const next = (bytes: Uint8Array): Uint8Array => {
    if (!begun && bytes.length > 0 && bytes[0] !== GREATER) throw notBegun(label, bytes[0]);
    begun ||= bytes.length > 0;
    const { kernels, memory, room } = fastxBench();
    const text = new Uint8Array(memory.buffer);
    if (result.length <= bytes.length) result = new Uint8Array(bytes.length + 1);
    let place = 0;
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      const part = bytes.subarray(at, at + PART_BYTES);
      const begin = room + Number(held);
      if (held) text[room] = NEWLINE;
      copyBytes(part, text, begin);
      held = part[part.length - 1] === NEWLINE;
      const end = begin + part.length - Number(held);
      const stop = kernels.frameSequences(room, end);
      line += kernels.passedLines();
      if (stop < end) throw refused(label, line, text[stop]);
      copyBytes(text.subarray(room, end), result, place);
      place += end - room;
    }
    return result.subarray(0, place);
  };
  return {
    next,
    // The NUL replaces the newline held back, or a missing one.
    end: () => (begun ? Uint8Array.of(NUL) : new Uint8Array(0)),
    *pieces(piece, { head, lines, places }) {
      yield next(piece.subarray(0, head));
      // The newline held back ends a record.
      yield Uint8Array.of(NUL);
      held = false;
      line += 1 + places;
      yield piece.subarray(head, head + lines);
      yield next(piece.subarray(head + lines));
    },
  };
}

/**
 * Frames the whole records in a piece of FASTA that may begin and end inside a record, in `target`, which has as many
 * bytes. Returns null if there are none or one has a problem; the contents of `target` are then undefined.
 */
export function frameSequencesPart(piece: Uint8Array, target: Uint8Array): FramedPart | null {
  const bytes = asBuffer(piece);
  const to = bytes.lastIndexOf(RECORD_BORDER) + 1;
  // Inside a chromosome, the search from the beginning would stop at every line.
  const head = to === 0 ? 0 : bytes.indexOf(RECORD_BORDER) + 1;
  if (head === to) return null;
  const { kernels, memory, room } = fastxBench();
  const text = new Uint8Array(memory.buffer);
  let places = 0;
  for (let at = head; at < to; at += PART_BYTES) {
    const end = Math.min(to, at + PART_BYTES);
    // The byte after a newline shows whether this ends a record.
    copyBytes(piece.subarray(at, end + 1), text, room);
    if (kernels.frameSequences(room, room + end - at) < room + end - at) return null;
    places += kernels.passedLines();
    copyBytes(text.subarray(room, room + end - at), target, at);
  }
  copyBytes(piece.subarray(0, head), target);
  copyBytes(piece.subarray(to), target, to);
  return { bytes: piece.length, head, lines: to - head, text: to - head, places };
}

function notBegun(label: string, byte: number): GpusortError {
  if (byte === NUL || byte === SEMICOLON) return refused(label, 1, byte);
  return new GpusortError('bad-records', `${label}: line 1 does not begin with ">"`, {
    hint: byte === AT ? 'Use --format fastq if the file is FASTQ.' : 'Remove the text before the first sequence.',
  });
}

function refused(label: string, line: number, byte: number): GpusortError {
  if (byte === NUL)
    return new GpusortError('bad-records', `${label}: line ${line} contains NUL, which FASTA cannot contain`);
  return new GpusortError('bad-records', `${label}: line ${line} begins with ";": comments are not supported`, {
    hint: "Remove it, for example with `grep -v '^;'`.",
  });
}
