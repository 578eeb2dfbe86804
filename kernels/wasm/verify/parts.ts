/**
 * The order of adjacent lines by their parts, compared in place, without keys, as bytes or decimal numbers. Lines with
 * a number that decimal.ts cannot read are left to the caller, which makes keys. Only finding fields is shared with the
 * sort (kernels/wasm/shared/fields.ts).
 */
import { partEnd, skipBytes, skipFields, TO_END } from '../shared/fields';
import { fraction, readDecimal, whole } from './decimal';
import { addStep, finish, firstBytes, firstKey, nextCounter, STEP, stepKey } from './hash';
import { compareBytes, mostSign, ordersWholeLines, reverse, setFound } from './order';
import { hasPrevious, previousBegin, previousEnd, setPrevious } from './order';
import { addSums, delimiter } from './records';

/** Bytes of a part in the table: eleven 32-bit numbers, the arguments of addPart. */
const PART_BYTES: u32 = 44;
const NUMERIC: u32 = 1;
const NEWLINE: u8 = 10;
const RETURN: u8 = 13;

let table: u32 = 0;
let parts: u32 = 0;
let unread: bool = false;

/** Begins a table of parts at `at`. */
export function openParts(at: u32): void {
  table = at;
  parts = 0;
}

/**
 * Adds a part: whether it is compared as a number or as bytes; whether larger ones come first; whether a carriage
 * return at its end does not count where a line ends; its fields (src/keys/fields.ts).
 */
export function addPart(
  numeric: u32, larger: u32, dropsReturn: u32, beginField: u32, beginByte: u32, beginBlanks: u32, endField: u32,
  endByte: u32, endBlanks: u32, separator: u32, separatorBytes: u32,
): void {
  const at = table + parts++ * PART_BYTES;
  store<u32>(at, numeric);
  store<u32>(at, larger, 4);
  store<u32>(at, beginField, 8);
  store<u32>(at, beginByte, 12);
  store<u32>(at, beginBlanks, 16);
  store<u32>(at, endField, 20);
  store<u32>(at, endByte, 24);
  store<u32>(at, endBlanks, 28);
  store<u32>(at, separator, 32);
  store<u32>(at, separatorBytes, 36);
  store<u32>(at, dropsReturn, 40);
}

/** Whether the last call stopped at a number that decimal.ts does not read. */
export function foundUnread(): bool { return unread; }

/** The result of the last findPart. */
let begin: u32 = 0;
let end: u32 = 0;

// @ts-ignore: decorator
@inline
function findPart(part: u32, from: u32, to: u32): void {
  const beginField = load<u32>(part, 8);
  const separator = load<u32>(part, 32);
  const separatorBytes = load<u32>(part, 36);
  const first = skipFields(from, to, beginField, separator, separatorBytes, true);
  begin = skipBytes(first, to, load<u32>(part, 12), load<u32>(part, 16) != 0);
  const endField = load<u32>(part, 20);
  const endByte = load<u32>(part, 24);
  const endBlanks = load<u32>(part, 28) != 0;
  const last = partEnd(from, to, beginField, first, endField, endByte, endBlanks, separator, separatorBytes);
  end = max(begin, last);
  if (load<u32>(part, 40) == 0 || end == begin || load<u8>(end - 1) != RETURN) return;
  if (end == to || load<u8>(end) == NEWLINE) end--;
}

/** Compares two lines by their parts from number `from`, then, under the last resort, by all their bytes. */
function compareFrom(from: u32, beginA: u32, endA: u32, beginB: u32, endB: u32): i32 {
  for (let i = from; i < parts; i++) {
    const part = table + i * PART_BYTES;
    findPart(part, beginA, endA);
    const otherBegin = begin;
    const otherEnd = end;
    findPart(part, beginB, endB);
    let sign: i32;
    if (load<u32>(part) == NUMERIC) {
      if (!readDecimal(otherBegin, otherEnd)) unread = true;
      const otherWhole = whole;
      const otherFraction = fraction;
      if (!readDecimal(begin, end)) unread = true;
      sign = compareNumbers(otherWhole, otherFraction);
    } else sign = compareBytes(otherBegin, otherEnd, begin, end, 0);
    if (sign != 0) return load<u32>(part, 4) != 0 ? -sign : sign;
  }
  if (!ordersWholeLines()) return 0;
  const sign = compareBytes(beginA, endA, beginB, endB, 0);
  return reverse ? -sign : sign;
}

/** Compares a number with the last one read. */
// @ts-ignore: decorator
@inline
function compareNumbers(otherWhole: i64, otherFraction: i64): i32 {
  if (otherWhole != whole) return otherWhole < whole ? -1 : 1;
  return i32(otherFraction > fraction) - i32(otherFraction < fraction);
}

/** checkRecords (order.ts) by parts. */
export function checkParts(from: u32, to: u32, most: u32, pardoned: u32): f64 {
  setFound(false);
  unread = false;
  const pattern = i8x16.splat(delimiter);
  const numeric = load<u32>(table) == NUMERIC;
  const larger = load<u32>(table, 4) != 0;
  // Finding fields takes as long as reading a number, and -n alone has no fields.
  const atBegin = load<u32>(table, 8) == 0 && load<u32>(table, 12) == 0 && load<u32>(table, 16) == 0;
  const wholeLines = atBegin && load<u32>(table, 20) == TO_END;
  let at = from;
  let left = most;
  let hash: u64 = 0;
  let before = previousBegin;
  let beforeEnd = previousEnd;
  let compares = hasPrevious;
  let beforeWhole: i64 = 0;
  let beforeFraction: i64 = 0;
  if (numeric && compares) {
    findPart(table, before, beforeEnd);
    if (!readDecimal(begin, end)) unread = true;
    beforeWhole = whole;
    beforeFraction = fraction;
  }
  for (; at < to && left > 0 && !unread; left--) {
    const line = at;
    let words = v128.load(at);
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
    const lineEnd = at + rest;
    let sign = 0;
    if (numeric) {
      if (wholeLines) {
        begin = line;
        end = lineEnd;
      } else findPart(table, line, lineEnd);
      if (!readDecimal(begin, end)) {
        unread = true;
        at = line;
        break;
      }
      sign = compareNumbers(beforeWhole, beforeFraction);
      if (larger) sign = -sign;
      beforeWhole = whole;
      beforeFraction = fraction;
    }
    if (compares && line != pardoned) {
      if (sign == 0) sign = compareFrom(u32(numeric), before, beforeEnd, line, lineEnd);
      if (sign > mostSign) {
        setFound(true);
        at = line;
        break;
      }
    }
    hash += finish(addStep(sums, v128.xor(firstBytes(words, rest), key)), lineEnd - line);
    compares = true;
    before = line;
    beforeEnd = lineEnd;
    at = lineEnd + 1;
  }
  setPrevious(compares, before, beforeEnd);
  addSums(most - left, hash);
  return <f64>at;
}
