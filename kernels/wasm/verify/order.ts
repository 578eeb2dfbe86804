/**
 * The order of adjacent records in output text, or in keyed lines made from it. Shares no code with the kernels that
 * sort. After each call, the caller checks whether a record was found that must not follow the one before it. The
 * caller may accept such a record if it begins a segment.
 */
import { addStep, finish, firstBytes, firstKey, nextCounter, STEP, stepKey } from './hash';
import { addSums, delimiter, hashBytes, HEADER, keyBytes as keyBytesOf, size } from './records';

/** The part of a fixed-size record that is compared first, and whether whole records decide if the parts are equal. */
let keyBegin: u32 = 0;
let keyBytes: u32 = 0;
let lastResort: bool = false;
/** Whether larger records come first. */
export let reverse: bool = false;
/** The largest allowed result of comparing a record with its successor: 0, or -1 if no two may be equal. */
export let mostSign: i32 = 0;

/** The previous record, without its delimiter. */
export let hasPrevious: bool = false;
export let previousBegin: u32 = 0;
export let previousEnd: u32 = 0;
/** Whether a record was found that must not follow the previous one. */
let found: bool = false;

export function setOrder(
  newKeyBegin: u32, newKeyBytes: u32, newLastResort: bool, newReverse: bool, unique: bool,
): void {
  keyBegin = newKeyBegin;
  keyBytes = newKeyBytes;
  lastResort = newLastResort;
  reverse = newReverse;
  mostSign = unique ? -1 : 0;
}

/** Sets the previous record to [begin, end), or to none. */
export function setPrevious(exists: bool, begin: u32, end: u32): void {
  hasPrevious = exists;
  previousBegin = begin;
  previousEnd = end;
}

/** Whether the last call stopped before a record that must not follow the previous one. */
export function foundDisorder(): bool { return found; }

/** The record that was compared last. */
export function previousRecordBegin(): f64 { return <f64>previousBegin; }
export function previousRecordEnd(): f64 { return <f64>previousEnd; }

/** Sets the result of foundDisorder. */
export function setFound(newFound: bool): void { found = newFound; }

/** Whether lines with equal parts are compared whole. */
export function ordersWholeLines(): bool { return lastResort; }

/** Compares [a, endA) and [b, endB) from byte `from` as memcmp does, then by length. */
export function compareBytes(a: u32, endA: u32, b: u32, endB: u32, from: u32): i32 {
  const shared = min(endA - a, endB - b);
  for (let i = from; i < shared; i += STEP) {
    const differing = i8x16.bitmask(i8x16.ne(v128.load(a + i), v128.load(b + i)));
    if (differing == 0) continue;
    const at = i + <u32>ctz(differing);
    return at < shared ? <i32>load<u8>(a + at) - <i32>load<u8>(b + at) : sign(endA - a, endB - b);
  }
  return sign(endA - a, endB - b);
}

// @ts-ignore: decorator
@inline
function sign(a: u32, b: u32): i32 { return i32(a > b) - i32(a < b); }

// @ts-ignore: decorator
@inline
function isDisorder(sign: i32): bool { return (reverse ? -sign : sign) > mostSign; }

/**
 * Compares and hashes at most `most` of the whole records [from, to); returns where it stopped. Does not compare the
 * record at `pardoned`. Reads up to 15 bytes past the records.
 */
export function checkRecords(from: u32, to: u32, most: u32, pardoned: u32): f64 {
  found = false;
  return size > 0 ? checkFixed(from, to, most, pardoned) : checkLines(from, to, most, pardoned);
}

function checkFixed(from: u32, to: u32, most: u32, pardoned: u32): f64 {
  let at = from;
  let hash: u64 = 0;
  let left = most;
  for (; at < to && left > 0; at += size, left--) {
    if (hasPrevious && at != pardoned) {
      const key = previousBegin + keyBegin;
      const nextKey = at + keyBegin;
      let order = compareBytes(key, key + keyBytes, nextKey, nextKey + keyBytes, 0);
      if (order == 0 && lastResort) order = compareBytes(previousBegin, previousEnd, at, at + size, 0);
      if (isDisorder(order)) { found = true; break; }
    }
    hash += hashBytes(at, at + size);
    setPrevious(true, at, at + size);
  }
  addSums(most - left, hash);
  return <f64>at;
}

function checkLines(from: u32, to: u32, most: u32, pardoned: u32): f64 {
  const pattern = i8x16.splat(delimiter);
  let at = from;
  let left = most;
  let hash: u64 = 0;
  let before = previousBegin;
  let beforeBytes = previousEnd - previousBegin;
  let beforeWords = hasPrevious ? v128.load(before) : i64x2.splat(0);
  let compares = hasPrevious;
  for (; at < to && left > 0; left--) {
    const begin = at;
    const firstWords = v128.load(begin);
    let words = firstWords;
    let ends = i8x16.bitmask(i8x16.eq(words, pattern));
    let sums = i64x2.splat(0);
    let key = firstKey();
    let counter = i32x4.splat(0);
    while (ends == 0) {
      sums = addStep(sums, v128.xor(words, key));
      counter = nextCounter(counter);
      key = stepKey(counter);
      words = v128.load(at += STEP);
      ends = i8x16.bitmask(i8x16.eq(words, pattern));
    }
    const rest = ctz(ends);
    const bytes = at + rest - begin;
    if (compares && begin != pardoned) {
      const shared = min(beforeBytes, bytes);
      const differing = <u32>ctz(i8x16.bitmask(i8x16.ne(beforeWords, firstWords)) | 0x10000);
      const order = differing < shared
        ? (differing < STEP ? <i32>load<u8>(before + differing) - <i32>load<u8>(begin + differing)
          : compareBytes(before, before + beforeBytes, begin, begin + bytes, STEP))
        : sign(beforeBytes, bytes);
      if (isDisorder(order)) { found = true; at = begin; break; }
    }
    sums = addStep(sums, v128.xor(firstBytes(words, rest), key));
    hash += finish(sums, bytes);
    compares = true;
    before = begin;
    beforeBytes = bytes;
    beforeWords = firstWords;
    at += rest + 1;
  }
  setPrevious(compares, before, before + beforeBytes);
  addSums(most - left, hash);
  return <f64>at;
}

/** checkRecords for keyed lines, which are compared but not hashed: the text they were made from is. */
export function checkKeyed(from: u32, to: u32, most: u32, pardoned: u32): f64 {
  found = false;
  const pattern = i8x16.splat(delimiter);
  let at = from;
  for (let left = most; at < to && left > 0; left--) {
    const begin = at;
    let ends = i8x16.bitmask(i8x16.eq(v128.load(at), pattern));
    while (ends == 0) ends = i8x16.bitmask(i8x16.eq(v128.load(at += STEP), pattern));
    const end = at + ctz(ends);
    if (hasPrevious && begin != pardoned) {
      const beforeEnd = comparedEnd(previousBegin, previousEnd);
      const order = compareBytes(previousBegin + HEADER, beforeEnd, begin + HEADER, comparedEnd(begin, end), 0);
      if (isDisorder(order)) {
        found = true;
        return <f64>begin;
      }
    }
    setPrevious(true, begin, end);
    at = end + 1;
  }
  return <f64>at;
}

/** Where the compared bytes of a keyed line end: with the line under the last resort, else with the key. */
function comparedEnd(begin: u32, end: u32): u32 {
  return lastResort ? end : begin + HEADER + keyBytesOf(begin);
}
