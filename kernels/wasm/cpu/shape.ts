/** The form and the ordering of records; set once for each instance. */

/** The byte that ends a record and belongs to it, unless records have a fixed size or begin with their length. */
export let delimiter: u8 = 0;
/** Bytes of a record; 0: records differ in size. */
export let size: u32 = 0;
/** Whether each record begins with its length: the number of bytes after these 4. */
export let sized: bool = false;
/** Bytes at the end of a record that are not compared: 1 for the delimiter, else 0. */
export let tail: u32 = 0;
/** First byte of the key. */
let keyOffset: u32 = 0;
/** Bytes of the key; -1: to the end of the record; -2: as the header of the keyed line says. */
let keyLength: i32 = -1;
/** XORed with keys: all ones if larger keys come first. */
export let flip: u64 = 0;
/** Whether to keep only the first of records with equal keys. */
export let unique: bool = false;
/** Whether to order records with equal keys by all their bytes. */
export let lastResort: bool = false;

/**
 * Whether records have a key in front (src/keys/keyed.ts). Keyed lines: key length in HEADER digits of base 255, which
 * skip the delimiter; key; line. Keyed records that begin with their length: that length, key length, key, record.
 */
let keyed: bool = false;
const HEADER: u32 = 4;
/** The first three header bytes of a key length below 255, the usual case, and a mask of those bytes. */
let shortDigits: u32 = 0;
const SHORT_DIGITS: u32 = 0xffffff;
/** Bytes of each length in a keyed record that begins with its length. */
const LENGTH: u32 = 4;

/**
 * How records end, and whether keys are stored with them. The parameters are those of RecordShape (src/engines/cpu/).
 */
export function setRecords(newDelimiter: i32, newSize: u32, newSized: bool, newKeyed: bool): void {
  delimiter = <u8>newDelimiter;
  size = newSize;
  sized = newSized;
  tail = newSize > 0 || newSized ? 0 : 1;
  keyed = newKeyed;
  shortDigits = newDelimiter == 0 ? 0x010101 : 0;
}

/** Where the key of a record is. */
export function setKey(offset: u32, length: i32): void {
  keyOffset = offset;
  keyLength = length;
}

/** The direction of the order, and what happens to records with equal keys. */
export function setOrder(reverse: bool, newUnique: bool, newLastResort: bool): void {
  flip = reverse ? u64.MAX_VALUE : 0;
  unique = newUnique;
  lastResort = newLastResort;
}

/** The bytes by which records are compared: first their keys; then, as the last resort, all bytes of the records. */
export const KEY: u32 = 0;
export const WHOLE: u32 = 1;

/** Where the compared bytes of a record begin. */
// @ts-ignore: decorator
@inline
export function comparedBegin(begin: u32, by: u32): u32 {
  return by == KEY ? begin + keyOffset : begin;
}

/** Where the compared bytes of a record end. */
// @ts-ignore: decorator
@inline
export function comparedEnd(begin: u32, end: u32, by: u32): u32 {
  if (by != KEY || keyLength == -1) return end - tail;
  return keyLength >= 0 ? begin + keyOffset + keyLength : textBegin(begin);
}

/** Where the text of the record at `begin` begins; in a keyed line, where the key ends. */
export function textBegin(begin: u32): u32 {
  if (!keyed) return begin;
  if (sized) return begin + 2 * LENGTH + load<u32>(begin, LENGTH);
  const digits = load<u32>(begin);
  if ((digits & SHORT_DIGITS) == shortDigits) return begin + HEADER + digitOf(digits >> 24);
  let length: u32 = 0;
  for (let i: u32 = 0; i < HEADER; i++) length = length * 255 + digitOf(load<u8>(begin + i));
  return begin + HEADER + length;
}

/** The digit of a byte: no digit is the delimiter. */
function digitOf(byte: u32): u32 { return byte - u32(byte > <u32>delimiter); }
