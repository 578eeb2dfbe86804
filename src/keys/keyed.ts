/**
 * Keyed records: the form of records inside an engine under normalized keys. A keyed line is the length of its key (four
 * digits of base 255), the key, and the line. Length and key do not contain the delimiter, so a keyed line is a line.
 * A keyed sized record is the number of bytes after these 4, the length of its key (4 bytes, lowest first), the key, and
 * the record; so it is a sized record. Keys compare as their parts do (kernels/wasm/keys/) and are prefix-free. So keyed
 * records compare, after their header, by the key and then by the whole record. (Kernels:
 * kernels/wgsl/shared/record.wgsl, kernels/wasm/cpu/shape.ts.)
 */
import type { KeyPart, Ordering, PartOrder, RecordFormat, SortKey } from '../job/ordering.js';
import { uint32 } from '../system/memory.js';

/** Bytes before the key of a line. */
export const KEY_HEADER_BYTES = 4;
const BASE = 255;
/** Bytes of each length before the key of a sized record. */
const LENGTH_BYTES = 4;

const headerBytes = (format: RecordFormat | null): number =>
  format?.kind === 'sized' ? 2 * LENGTH_BYTES : KEY_HEADER_BYTES;

/** Bytes before the key of a keyed record. */
export const keyHeaderBytes = ({ format }: Ordering): number => headerBytes(format);

export const isKeyed = ({ key }: Ordering): boolean => key.kind === 'normalized';

/** The length of a keyed record's key in bytes. */
export function keyLength({ format }: Ordering, line: Uint8Array): number {
  if (format.kind === 'sized') return uint32(line, LENGTH_BYTES);
  return lengthOf(format.kind === 'lines' ? format.delimiter : 0, line[0], line[1], line[2], line[3]);
}

/** The length that the bytes of a header stand for. */
function lengthOf(delimiter: number, a: number, b: number, c: number, d: number): number {
  const digit = (byte: number): number => byte - Number(byte > delimiter);
  return ((digit(a) * BASE + digit(b)) * BASE + digit(c)) * BASE + digit(d);
}

/** The header of a key of `length` bytes. */
export function keyHeader({ format }: Ordering, length: number): Uint8Array {
  const delimiter = format.kind === 'lines' ? format.delimiter : 0;
  const header = new Uint8Array(KEY_HEADER_BYTES);
  for (let i = KEY_HEADER_BYTES - 1; i >= 0; i--) {
    const digit = length % BASE;
    header[i] = digit + Number(digit >= delimiter);
    length = (length - digit) / BASE;
  }
  return header;
}

/**
 * Calls `take` with each line of a text of keyed lines and the text that orders it: the key and, with last-resort
 * comparison, the line. All texts have one character per byte.
 */
export function eachKeyed(
  { format, lastResort }: Ordering,
  text: string,
  take: (key: string, line: string) => void,
): void {
  const delimiter = format.kind === 'lines' ? format.delimiter : 0;
  const ending = String.fromCharCode(delimiter);
  for (let at = 0; at < text.length; ) {
    const key = at + KEY_HEADER_BYTES;
    const digit = (i: number): number => text.charCodeAt(at + i);
    const line = key + lengthOf(delimiter, digit(0), digit(1), digit(2), digit(3));
    const end = text.indexOf(ending, line);
    take(text.slice(key, lastResort ? end : line), text.slice(line, end));
    at = end + 1;
  }
}

/** A record as it was read, from its form in an engine; a view of it. */
export function textWithoutKey(ordering: Ordering, record: Uint8Array): Uint8Array {
  return isKeyed(ordering) ? record.subarray(keyHeaderBytes(ordering) + keyLength(ordering, record)) : record;
}

/** Upper bounds on keyed lines: at most `factor` times the line with its delimiter, plus `constant` bytes. */
export interface KeyBound {
  readonly factor: number;
  readonly constant: number;
}

/** The bounds on the row of a part (kernels/wasm/keys/, one file for each ordering). */
const ROWS: Readonly<Record<PartOrder, KeyBound>> = {
  bytes: { factor: 2, constant: 1 },
  numeric: { factor: 1, constant: 8 },
  'general-numeric': { factor: 0, constant: 12 },
  'human-numeric': { factor: 1, constant: 9 },
  month: { factor: 0, constant: 1 },
  version: { factor: 2, constant: 6 },
  random: { factor: 0, constant: 32 },
  natural: { factor: 2, constant: 1 },
  length: { factor: 0, constant: 4 },
  quality: { factor: 0, constant: 10 },
  similar: { factor: 0, constant: 34 },
  contig: { factor: 0, constant: 4 },
  'mate-contig': { factor: 0, constant: 4 },
  integer: { factor: 0, constant: 5 },
  signed: { factor: 0, constant: 5 },
  strand: { factor: 0, constant: 1 },
  template: { factor: 0, constant: 1 },
  'picard-template': { factor: 0, constant: 1 },
  tag: { factor: 2, constant: 13 },
  alleles: { factor: 2, constant: 1 },
  comment: { factor: 0, constant: 1 },
  'mapped-contig': { factor: 0, constant: 4 },
  span: { factor: 0, constant: 5 },
  'template-coordinate': { factor: 2, constant: 28 },
  minimiser: { factor: 0, constant: 10 },
  empty: { factor: 0, constant: 1 },
};

/** A name in BAM has at most 254 bytes. Its rows take at most two digits for each byte, and an end. */
const BAM_NAME: KeyBound = { factor: 0, constant: 2 * 254 + 1 };

const rowBound = ({ order, bam }: KeyPart): KeyBound => (bam === 'name' ? BAM_NAME : ROWS[order]);

/**
 * The maximum bytes of the keyed line for a line of `bytes` bytes, and the longest line whose keyed line
 * cannot exceed `bytes` bytes.
 */
export const mostKeyed = (key: SortKey, bytes: number): number =>
  keyedBound(key).factor * bytes + keyedBound(key).constant;
export const longestLine = (key: SortKey, bytes: number): number =>
  Math.floor((bytes - keyedBound(key).constant) / keyedBound(key).factor);

/** The maximum bytes of a row for one part of a line of `bytes` bytes. */
export function longestRow(key: SortKey, bytes: number): number {
  if (key.kind !== 'normalized') return 0;
  return Math.max(...key.parts.map(rowBound).map(({ factor, constant }) => factor * bytes + constant));
}

/** The bound for records under `key`: sized ones, or else lines. Without keys, the record itself. */
export function keyedBound(key: SortKey, format: RecordFormat | null = null): KeyBound {
  if (key.kind !== 'normalized') return { factor: 1, constant: 0 };
  const rows = key.parts.map(rowBound);
  return {
    factor: rows.reduce((sum, row) => sum + row.factor, 1),
    constant: rows.reduce((sum, row) => sum + row.constant, headerBytes(format)),
  };
}
