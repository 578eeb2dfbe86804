/**
 * The first of neighboring records with equal keys, to which the next ones are compared (count.ts, duplicates.ts).
 * Lines are compared as a whole, keyed lines by their keys, and records of a fixed size by ranges of their bytes.
 */
import { delimiter, BASE } from '../../shared/digits';
import { lineEnd } from '../../shared/lines';
import { sharedBytes } from '../../shared/text';

/** Bytes of the key length, which precedes the key. */
const HEADER: u32 = 4;
/** Bytes of a range in its table: its offset and its length. */
const RANGE_BYTES: u32 = 8;

let keyed: bool = false;
/** The bytes of a fixed record; 0: records are lines. Then the table of the ranges that are compared, and its end. */
let size: u32 = 0;
let ranges: u32 = 0;
let rangesEnd: u32 = 0;

/**
 * The first record: its address, the number of its bytes that the others must share, the beginning of its text, and its
 * end. An address of 0: there is none yet.
 */
let first: u32 = 0;
let compared: u32 = 0;
let text: u32 = 0;
let end: u32 = 0;

/** Begins with lines. */
export function openLines(newKeyed: bool): void {
  keyed = newKeyed;
  size = 0;
  first = 0;
}

/** Begins with records of `newSize` bytes that are compared by `count` ranges, whose table is at `table`. */
export function openFixed(newSize: u32, table: u32, count: u32): void {
  keyed = false;
  size = newSize;
  ranges = table;
  rangesEnd = table + count * RANGE_BYTES;
  first = 0;
}

export function hasFirst(): bool { return first != 0; }
export function firstText(): u32 { return text; }
export function firstEnd(): u32 { return end; }

/** Where the record at `at` ends. */
// @ts-ignore: decorator
@inline
export function recordEnd(at: u32): u32 {
  return size == 0 ? lineEnd(at, delimiter) : at + size;
}

/** The record [begin, next) is the first one now. */
export function takeFirst(begin: u32, next: u32): void {
  first = begin;
  end = next;
  text = textOf(begin);
  compared = keyed ? text - begin : next - begin;
}

/** Moves the first record to `at`, which has room for it, before its memory is reused. */
export function holdFirst(at: u32): void {
  if (first == 0 || first == at) return;
  memory.copy(at, first, end - first);
  text = at + (text - first);
  end = at + (end - first);
  first = at;
}

/** Where the text of a record begins, after its key. */
// @ts-ignore: decorator
@inline
export function textOf(begin: u32): u32 {
  return keyed ? begin + HEADER + keyLength(begin) : begin;
}

/** Whether the record [begin, next) has the key of the first one or, without keys, equals it. */
export function isEqual(begin: u32, next: u32): bool {
  if (size != 0) return hasEqualRanges(begin);
  if (keyed ? next - begin < compared : next - begin != compared) return false;
  // Adjacent lines in order mostly differ near their ends.
  if (compared >= 8 && load<u64>(first + compared - 8) != load<u64>(begin + compared - 8)) return false;
  return sharedBytes(first, begin, compared) == compared;
}

function hasEqualRanges(begin: u32): bool {
  for (let range = ranges; range < rangesEnd; range += RANGE_BYTES) {
    const offset = load<u32>(range);
    const length = load<u32>(range, 4);
    if (sharedBytes(first + offset, begin + offset, length) != length) return false;
  }
  return true;
}

/** The key length of the line at `at`: digits that skip the delimiter. */
function keyLength(at: u32): u32 {
  let length: u32 = 0;
  for (let i: u32 = 0; i < HEADER; i++) {
    const byte = <u32>load<u8>(at + i);
    length = length * BASE + byte - u32(byte > delimiter);
  }
  return length;
}
