/**
 * Turns FASTQ into lines that end in NUL: a record is four lines, and the newlines inside it stay. Records are found by
 * counting newlines, never by their first byte: `@` may also begin qualities.
 */
import { emptyLineError, fastxBench, PART_BYTES, ReadState } from './fastx-kernels.js';
import type { Framer } from './framing.js';

const NEWLINE = 10;
const RETURN = 13;
const NOTHING = new Uint8Array(0);

/**
 * Frames an input of `lines` lines per record: 4 for each read in it. The names of its reads must agree. Empty lines
 * after the last record are dropped, because many programs and editors leave one; anywhere else they are refused.
 */
export function fastqFramer(label: string, lines = 4): Framer {
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
    const { kernels, memory, state: stateAt, room } = fastxBench();
    const text = new Uint8Array(memory.buffer);
    state.copyTo(memory, stateAt);
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      const part = bytes.subarray(at, at + PART_BYTES);
      text.set(part, room);
      const stop = kernels.frameReads(stateAt, lines > 4 ? stateAt : 0, room, room + part.length, 0);
      part.set(text.subarray(room, stop));
      if (stop === room + part.length) continue;
      state.copyFrom(memory, stateAt);
      state.check(label, text[stop]);
      emptyLine = state.ended + 1;
      checkEmpty(bytes.subarray(at + stop - room));
      return bytes.subarray(0, at + stop - room);
    }
    state.copyFrom(memory, stateAt);
    return bytes;
  };
  return {
    next,
    end: () => {
      const last = emptyLine === 0 && state.lacksNewline ? next(Uint8Array.of(NEWLINE)) : NOTHING;
      state.checkEnd(label);
      return last;
    },
  };
}
