/**
 * Lines of a text file. The device sorts their first 8 bytes as numbers (big-endian, short lines padded with NUL), with
 * the line's number as the value. Lines whose 8 bytes are equal are then ordered by the rest of their bytes here.
 */

const NEWLINE = 10;
const PREFIX = 8;

/** Where lines begin, and the end of the last one + 1. A last line without a newline counts as if it had one. */
export function lineStarts(text) {
  let lines = 0;
  for (let at = text.indexOf(NEWLINE); at >= 0; at = text.indexOf(NEWLINE, at + 1)) lines++;
  const ended = text.length === 0 || text[text.length - 1] === NEWLINE;
  const starts = new Uint32Array(lines + (ended ? 1 : 2));
  let line = 1;
  for (let at = text.indexOf(NEWLINE); at >= 0; at = text.indexOf(NEWLINE, at + 1)) starts[line++] = at + 1;
  if (!ended) starts[line] = text.length + 1;
  return starts;
}

/** The first 8 bytes of each line as 64-bit keys of two words, the low one first. */
export function linePrefixes(text, starts) {
  const keys = new Uint32Array(2 * (starts.length - 1));
  for (let line = 0; line + 1 < starts.length; line++) {
    const length = Math.min(PREFIX, starts[line + 1] - 1 - starts[line]);
    for (let i = 0; i < length; i++) keys[2 * line + (i < 4 ? 1 : 0)] |= text[starts[line] + i] << (24 - 8 * (i & 3));
  }
  return keys;
}

/** Compares two lines by their bytes from byte `from` on: a number below, equal to or above 0. */
export function compareLines(text, starts, a, b, from = 0) {
  const lengthA = starts[a + 1] - 1 - starts[a];
  const lengthB = starts[b + 1] - 1 - starts[b];
  const both = Math.min(lengthA, lengthB);
  for (let i = from; i < both; i++) {
    const difference = text[starts[a] + i] - text[starts[b] + i];
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB;
}

/** Sorts each group of lines with equal prefixes, in `order`. Returns the number of lines in groups of two or more. */
export function refineTies(text, starts, keys, order) {
  let tied = 0;
  const same = (i, j) => keys[2 * i] === keys[2 * j] && keys[2 * i + 1] === keys[2 * j + 1];
  for (let begin = 0, end; begin < order.length; begin = end) {
    end = begin + 1;
    while (end < order.length && same(order[begin], order[end])) end++;
    if (end - begin === 1) continue;
    tied += end - begin;
    // From byte 0: a short line's padding equals NUL bytes of another line.
    order.subarray(begin, end).sort((a, b) => compareLines(text, starts, a, b) || a - b);
  }
  return tied;
}

/** The lines in `order`, each with a newline. */
export function joinLines(text, starts, order) {
  const out = new Uint8Array(starts[starts.length - 1]);
  let at = 0;
  for (const line of order) {
    out.set(text.subarray(starts[line], starts[line + 1]), at);
    at += starts[line + 1] - starts[line];
    out[at - 1] = NEWLINE;
  }
  return out;
}
