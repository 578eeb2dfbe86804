/**
 * Turns FASTA into lines that end in NUL: a record begins with `>` at the beginning of a line, and the newlines inside
 * it stay, so wrapped sequences stay wrapped.
 */

import { GpusortError } from '../system/errors.js';
import { copyBytes } from '../system/memory.js';
import { fastxBench, PART_BYTES } from './fastx-kernels.js';
import type { Framer } from './record-finder.js';

const NUL = 0;
const NEWLINE = 10;
const SEMICOLON = 59;
const GREATER = 62;
const AT = 64;

/** Frames an input. Text before the first `>` is refused, and so are comments, which begin with `;`. */
export function fastaFramer(label: string): Framer {
  /**
   * Whether there was any text; and whether its last byte, a newline, is held back until the next byte shows whether it
   * ends a record.
   */
  let begun = false;
  let held = false;
  let line = 1;
  let result = new Uint8Array(0);
  return {
    next: (bytes) => {
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
    },
    // The NUL replaces the newline held back, or a missing one.
    end: () => (begun ? Uint8Array.of(NUL) : new Uint8Array(0)),
  };
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
