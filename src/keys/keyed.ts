/**
 * Keyed lines: the form of records inside an engine under normalized keys. A keyed line is the length of its key (four
 * digits of base 255), the key, and the line. Length and key do not contain the delimiter, so a keyed line is a line.
 * Keys compare as their parts do (kernels/wasm/keys/) and are prefix-free. So keyed lines compare, after their first
 * four bytes, by the key and then by the whole line. (Kernels: kernels/wgsl/shared/record.wgsl,
 * kernels/wasm/cpu/shape.ts.)
 */
import type { Ordering } from '../job/job.js';

/** Bytes before the key. */
export const HEADER_BYTES = 4;
const BASE = 255;

export const isKeyed = ({ key }: Ordering): boolean => key.kind === 'normalised';

/** The length of a keyed line's key in bytes. */
export function keyLength({ format }: Ordering, line: Uint8Array): number {
  const delimiter = format.kind === 'lines' ? format.delimiter : 0;
  let length = 0;
  for (let i = 0; i < HEADER_BYTES; i++) length = length * BASE + line[i] - Number(line[i] > delimiter);
  return length;
}

/** The header of a key of `length` bytes. */
export function keyHeader({ format }: Ordering, length: number): Uint8Array {
  const delimiter = format.kind === 'lines' ? format.delimiter : 0;
  const header = new Uint8Array(HEADER_BYTES);
  for (let i = HEADER_BYTES - 1; i >= 0; i--) {
    const digit = length % BASE;
    header[i] = digit + Number(digit >= delimiter);
    length = (length - digit) / BASE;
  }
  return header;
}

/** A record as it was read, from its form in an engine; a view of it. */
export function textOf(ordering: Ordering, record: Uint8Array): Uint8Array {
  return isKeyed(ordering) ? record.subarray(HEADER_BYTES + keyLength(ordering, record)) : record;
}
