/** Records and their sums. Knows where records end, but not their order. */
import { addStep, finish, firstBytes, firstKey, nextCounter, STEP, stepKey } from './hash';

/** The byte that ends a record, unless records have a fixed size. */
export let delimiter: u8 = 0;
/** Bytes of a record; 0: records end with a delimiter. */
export let size: u32 = 0;

let records: u64 = 0;
let hashes: u64 = 0;
/** For keyed lines: bytes of their text. For lines with counts: the sum of the counts. */
let text: u64 = 0;
let counted: u64 = 0;

export function setFormat(newDelimiter: u32, newSize: u32): void {
  delimiter = <u8>newDelimiter;
  size = newSize;
}

export function resetSums(): void {
  records = 0;
  hashes = 0;
  text = 0;
  counted = 0;
}

export function recordCount(): f64 { return <f64>records; }

export function textBytes(): f64 { return <f64>text; }
export function countedSum(): f64 { return <f64>counted; }

/** The sum of the records' hashes, modulo 2^64. */
export function hashSum(): u64 { return hashes; }

/** Adds `count` records whose hashes have the sum `sum`. */
// @ts-ignore: decorator
@inline
export function addSums(count: u32, sum: u64): void {
  records += count;
  hashes += sum;
}

/** The hash of bytes [from, to). */
// @ts-ignore: decorator
@inline
export function hashBytes(from: u32, to: u32): u64 {
  let sums = i64x2.splat(0);
  let counter = i32x4.splat(0);
  let at = from;
  for (; to - at >= STEP; at += STEP) {
    sums = addStep(sums, v128.xor(v128.load(at), stepKey(counter)));
    counter = nextCounter(counter);
  }
  sums = addStep(sums, v128.xor(firstBytes(v128.load(at), to - at), stepKey(counter)));
  return finish(sums, to - from);
}

/**
 * Hashes at most `most` of the whole records [from, to); returns where the next one begins.
 * Reads up to 15 bytes past the records.
 */
export function sumRecords(from: u32, to: u32, most: u32): f64 {
  let at = from;
  let left = most;
  let hash: u64 = 0;
  if (size > 0) {
    for (; at < to && left > 0; at += size, left--) hash += hashBytes(at, at + size);
    addSums(most - left, hash);
    return <f64>at;
  }
  const pattern = i8x16.splat(delimiter);
  for (; at < to && left > 0; left--) {
    const begin = at;
    let words = v128.load(at);
    let found = i8x16.bitmask(i8x16.eq(words, pattern));
    let sums = i64x2.splat(0);
    let key = firstKey();
    let counter = i32x4.splat(0);
    while (found == 0) {
      sums = addStep(sums, v128.xor(words, key));
      counter = nextCounter(counter);
      key = stepKey(counter);
      words = v128.load(at += STEP);
      found = i8x16.bitmask(i8x16.eq(words, pattern));
    }
    const rest = ctz(found);
    sums = addStep(sums, v128.xor(firstBytes(words, rest), key));
    hash += finish(sums, at + rest - begin);
    at += rest + 1;
  }
  addSums(most - left, hash);
  return <f64>at;
}

/**
 * sumRecords for keyed lines (src/keys/keyed.ts). Hashes and counts only their text;
 * `textBytes` is its length, delimiters included.
 */
export function sumKeyed(from: u32, to: u32, most: u32): f64 {
  const pattern = i8x16.splat(delimiter);
  let at = from;
  let left = most;
  let hash: u64 = 0;
  for (; at < to && left > 0; left--) {
    const begin = at + HEADER + keyBytes(at);
    let end = begin;
    let ends = i8x16.bitmask(i8x16.eq(v128.load(end), pattern));
    while (ends == 0) ends = i8x16.bitmask(i8x16.eq(v128.load(end += STEP), pattern));
    end += ctz(ends);
    hash += hashBytes(begin, end);
    at = end + 1;
    text += at - begin;
  }
  addSums(most - left, hash);
  return <f64>at;
}

/** Bytes before the key of a keyed line: the key's length in base 255 digits that skip the delimiter. */
export const HEADER: u32 = 4;

const QUOTE: u8 = 34;

/** The key length of the keyed line at `begin`. */
export function keyBytes(begin: u32): u32 {
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < HEADER; i++) {
    const digit = <u32>load<u8>(begin + i);
    bytes = bytes * 255 + digit - u32(digit > <u32>delimiter);
  }
  return bytes;
}

/**
 * Counts the records [from, to) that --count writes, and sums the numbers that they begin with, perhaps after a quote,
 * or, if `labelled`, that their first lines end with.
 */
export function sumCounted(from: u32, to: u32, most: u32, labelled: bool): f64 {
  let at = from;
  let left = most;
  for (; at < to && left > 0; left--) {
    counted += labelled ? lastNumber(at) : firstNumber(at);
    while (load<u8>(at) != delimiter) at++;
    at++;
  }
  addSums(most - left, 0);
  return <f64>at;
}

function firstNumber(at: u32): u64 {
  while (load<u8>(at) == 32 || load<u8>(at) == QUOTE) at++;
  let number: u64 = 0;
  for (; load<u8>(at) - 48 < 10; at++) number = number * 10 + load<u8>(at) - 48;
  return number;
}

/** The number at the end of the first line of the record at `begin`, before its newline or CRLF. */
function lastNumber(begin: u32): u64 {
  let at = begin;
  while (load<u8>(at) != delimiter && load<u8>(at) != 10) at++;
  if (at > begin && load<u8>(at - 1) == 13) at--;
  let number: u64 = 0;
  for (let unit: u64 = 1; at > begin && load<u8>(at - 1) - 48 < 10; unit *= 10) number += unit * (load<u8>(--at) - 48);
  return number;
}
