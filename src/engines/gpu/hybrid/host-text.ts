/**
 * Records in host memory: where they begin, and their text in a given order. Plain functions over typed arrays, so they
 * run in any thread on shared memory.
 */

/** Records in shared host memory: u8 text, and u32[count + 1] with the start of each record and the end of the last. */
export interface HostText {
  readonly text: Uint8Array<SharedArrayBuffer>;
  readonly starts: Uint32Array<SharedArrayBuffer>;
}

/** Records of up to this many bytes are copied byte by byte: that takes less time than making a view of them. */
const SHORT_BYTES = 48;

/** The number of records that end in bytes [from, to) of a text. */
export function countDelimiters(text: Uint8Array, from: number, to: number, delimiter: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (text[i] === delimiter) count++;
  return count;
}

/** Writes the ends of the records that end in bytes [from, to) of a text to `ends`. */
export function writeEnds(text: Uint8Array, from: number, to: number, delimiter: number, ends: Uint32Array): void {
  let at = 0;
  for (let i = from; i < to; i++) if (text[i] === delimiter) ends[at++] = i + 1;
}

/** The bytes of the records order[from ... to), with their delimiters. */
export function bytesInOrder(starts: Uint32Array, order: Uint32Array, from: number, to: number): number {
  let bytes = 0;
  for (let i = from; i < to; i++) bytes += starts[order[i] + 1] - starts[order[i]];
  return bytes;
}

/** Copies the records of `order` to the beginning of `target`. */
export function writeInOrder(text: Uint8Array, starts: Uint32Array, order: Uint32Array, target: Uint8Array): void {
  let at = 0;
  for (let i = 0; i < order.length; i++) {
    const begin = starts[order[i]];
    const end = starts[order[i] + 1];
    if (end - begin > SHORT_BYTES) {
      target.set(text.subarray(begin, end), at);
      at += end - begin;
    } else for (let byte = begin; byte < end; byte++) target[at++] = text[byte];
  }
}
