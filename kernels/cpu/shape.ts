/** What a record is and what orders it; set once for each instance. */

/** The byte that ends a record and belongs to it, where records have no size. */
export let delimiter: u8 = 0;
/** Bytes of a record; 0: up to a delimiter. */
export let size: u32 = 0;
/** Bytes of a record that are no part of its window: 1 for the delimiter, else 0. */
export let tail: u32 = 0;
/** First byte of the key. */
export let keyOffset: u32 = 0;
/** Bytes of the key; -1: up to the record's end; -2: as many as a keyed line tells. */
export let keyLength: i32 = -1;
/** What keys are XORed with: all ones where larger keys come first. */
export let flip: u64 = 0;
/** Of records with equal keys the first is kept. */
export let unique: bool = false;
/** Records with equal keys are ordered by all their bytes. */
export let lastResort: bool = false;

/** Records are keyed lines (src/keys/keyed.ts): the key's length in HEADER digits of base 255, which skip the delimiter; the key; the line. */
export let keyed: bool = false;
const HEADER: u32 = 4;
/** The first three digits of a length that is below 255, as mostly, and of these bytes the bits. */
let shortDigits: u32 = 0;
const SHORT_DIGITS: u32 = 0xffffff;

/** Takes the numbers of a Shape (src/cpu/shape.ts). */
export function setShape(
  newDelimiter: i32, newSize: u32, newKeyOffset: u32, newKeyLength: i32, reverse: bool, newUnique: bool, newLastResort: bool, newKeyed: bool,
): void {
  delimiter = <u8>newDelimiter;
  size = newSize;
  tail = newSize > 0 ? 0 : 1;
  keyOffset = newKeyOffset;
  keyLength = newKeyLength;
  flip = reverse ? u64.MAX_VALUE : 0;
  unique = newUnique;
  lastResort = newLastResort;
  keyed = newKeyed;
  shortDigits = newDelimiter == 0 ? 0x010101 : 0;
}

/** What records are compared by: first their keys, then, as the last resort, all their bytes. */
export const KEY: u32 = 0;
export const WHOLE: u32 = 1;

/** The window of a record is the part of it that is compared: its first byte. */
// @ts-ignore: decorator
@inline
export function windowBegin(begin: u32, by: u32): u32 {
  return by == KEY ? begin + keyOffset : begin;
}

/** And its end. */
// @ts-ignore: decorator
@inline
export function windowEnd(begin: u32, end: u32, by: u32): u32 {
  if (by != KEY || keyLength == -1) return end - tail;
  return keyLength >= 0 ? begin + keyOffset + keyLength : textBegin(begin);
}

/** Where the text of the record at `begin` begins, which for a keyed line is where its key ends. */
export function textBegin(begin: u32): u32 {
  if (!keyed) return begin;
  const digits = load<u32>(begin);
  if ((digits & SHORT_DIGITS) == shortDigits) return begin + HEADER + digitOf(digits >> 24);
  let length: u32 = 0;
  for (let i: u32 = 0; i < HEADER; i++) length = length * 255 + digitOf(load<u8>(begin + i));
  return begin + HEADER + length;
}

/** The digit that a byte is: no byte is the delimiter. */
function digitOf(byte: u32): u32 { return byte - u32(byte > <u32>delimiter); }
