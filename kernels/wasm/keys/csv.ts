/**
 * CSV (RFC 4180): a field that begins with a quote ends at the next quote that is not doubled; a doubled quote inside
 * it stands for one. A quote anywhere else is an ordinary byte.
 *
 * Records may contain newlines. To make records lines, input replaces the newlines that end them with NUL, which CSV
 * files do not contain, and output turns NULs back into newlines.
 */
import { skipBytes } from '../shared/fields';

const QUOTE: u8 = 34;
const NEWLINE: u8 = 10;
const RETURN: u8 = 13;
const NUL: u8 = 0;
/** A byte order mark in UTF-8, which may precede the first field. */
const MARK_BYTES: u32 = 0xbfbbef;

/** The reader's state in a record; the same numbers as in src/keys/csv-text.ts. */
const FIELD_BEGIN: u32 = 0;
const PLAIN: u32 = 1;
const QUOTED: u32 = 2;
/** After a quote inside a quoted field: the end of the field, or the first of two quotes. */
const AFTER_QUOTE: u32 = 3;
/** At the beginning of an input, before any byte of a mark; the next states are after its first and its second byte. */
const INPUT_BEGIN: u32 = 4;
const MARK_END: u32 = 6;

let state: u32 = INPUT_BEGIN;
let openQuote: u32 = 0;

/** Resumes an input in the given state. */
export function setState(newState: u32): void { state = newState; }
export function stateOf(): u32 { return state; }

/** The last quote that began a field in the text of the last `endRecords` call; 0: none. */
export function openQuoteAt(): u32 { return openQuote; }

/**
 * Replaces the newlines that end records in [at, end) with NUL. Returns the address of the first NUL that was already
 * there, else `end`. Takes 16 bytes per step if they contain no quote.
 */
export function endRecords(at: u32, end: u32, separator: u8): u32 {
  const quotes = i8x16.splat(QUOTE);
  const newlines = i8x16.splat(NEWLINE);
  openQuote = 0;
  while (at < end) {
    if (end - at >= 16 && state < INPUT_BEGIN) {
      const bytes = v128.load(at);
      const nuls = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(NUL)));
      if (nuls != 0) return at + ctz(nuls);
      if (i8x16.bitmask(i8x16.eq(bytes, quotes)) == 0) {
        if (state != QUOTED) {
          v128.store(at, v128.andnot(bytes, i8x16.eq(bytes, newlines)));
          const last = load<u8>(at, 15);
          state = last == NUL || last == separator ? FIELD_BEGIN : PLAIN;
        }
        at += 16;
        continue;
      }
    }
    for (const stop = min(end, at + 16); at < stop; at++) {
      const byte = load<u8>(at);
      if (byte == NUL) return at;
      if (state == QUOTED) {
        if (byte == QUOTE) state = AFTER_QUOTE;
        continue;
      }
      if (state >= INPUT_BEGIN) {
        if (byte == <u8>(MARK_BYTES >> (8 * (state - INPUT_BEGIN)))) {
          state = state == MARK_END ? FIELD_BEGIN : state + 1;
          continue;
        }
        state = state == INPUT_BEGIN ? FIELD_BEGIN : PLAIN;
      }
      if (byte == QUOTE && state != PLAIN) {
        if (state == FIELD_BEGIN) openQuote = at;
        state = QUOTED;
      } else if (byte == NEWLINE) {
        store<u8>(at, NUL);
        state = FIELD_BEGIN;
      } else state = byte == separator ? FIELD_BEGIN : PLAIN;
    }
  }
  return end;
}

/** Replaces NULs with newlines in [at, end); reads and writes up to 15 bytes past it. */
export function endLines(at: u32, end: u32): void {
  for (; at < end; at += 16) {
    const bytes = v128.load(at);
    v128.store(at, v128.or(bytes, v128.and(i8x16.eq(bytes, i8x16.splat(NUL)), i8x16.splat(NEWLINE))));
  }
}

/** The result of `findCsv`, and whether the record has enough fields. */
export let csvBegin: u32 = 0;
export let csvEnd: u32 = 0;
export let csvFound: bool = false;

/**
 * Finds the part of the record [begin, end) that `beginField` and the others describe (src/keys/fields.ts), with
 * quoted fields unquoted. A part of one field without quotes stays in the record; others are copied to `spare`. A
 * carriage return at the end of the record does not belong to it.
 */
export function findCsv(
  begin: u32, end: u32, beginField: u32, beginByte: u32, beginBlanks: bool,
  endField: u32, endByte: u32, endBlanks: bool, separator: u8, spare: u32,
): void {
  if (end > begin && load<u8>(end - 1) == RETURN) end--;
  // The field that contains the part's end. If `endByte` is 0, the end is given as a number of fields, else as bytes
  // after the field's beginning. For the record's end, `last` is greater than any field number.
  const last = endByte == 0 ? endField - 1 : endField;
  let field = min(beginField, last);
  let at = passFields(begin, end, field, separator);
  if (beginField == last && endByte == 0 && (at >= end || load<u8>(at) != QUOTE)) {
    csvEnd = passField(at, end, separator);
    csvBegin = skipBytes(at, csvEnd, beginByte, beginBlanks);
    return;
  }
  let to = spare;
  let from: u32 = 0;
  let lastBegin: u32 = 0;
  for (; ; field++) {
    if (field == beginField) from = to;
    if (field == last) lastBegin = to;
    let quoted = at < end && load<u8>(at) == QUOTE;
    if (quoted) at++;
    for (; at < end; at++) {
      const byte = load<u8>(at);
      if (quoted && byte == QUOTE) {
        quoted = at + 1 < end && load<u8>(at + 1) == QUOTE;
        if (!quoted) continue;
        at++;
      } else if (!quoted && byte == separator) break;
      store<u8>(to++, byte);
    }
    if (at >= end || (field >= last && endByte == 0)) break;
    store<u8>(to++, separator);
    at++;
  }
  // A record with too few fields ends before the part begins.
  if (from == 0) from = to;
  csvBegin = skipBytes(from, to, beginByte, beginBlanks);
  csvEnd = endByte == 0 || lastBegin == 0 ? to : skipBytes(lastBegin, to, endByte, endBlanks);
  csvEnd = max(csvBegin, csvEnd);
}

/** Where the field at `at` ends. */
function passField(at: u32, end: u32, separator: u8): u32 {
  if (at < end && load<u8>(at) == QUOTE) {
    for (at++; at < end; at++) {
      if (load<u8>(at) != QUOTE) continue;
      at++;
      if (at >= end || load<u8>(at) != QUOTE) break;
    }
  }
  while (at < end && load<u8>(at) != separator) at++;
  return at;
}

/**
 * The address after the first `count` fields of [at, end) and their separators; `end` if there are no more. Sets
 * `csvFound` to whether a field begins there. Takes 16 bytes per step if they contain no quote; reads up to 15 bytes
 * past `end`.
 */
function passFields(at: u32, end: u32, count: u32, separator: u8): u32 {
  /** Where the field that contains `at` begins. */
  let begin = at;
  while (count > 0 && at < end) {
    const bytes = v128.load(at);
    if (v128.any_true(i8x16.eq(bytes, i8x16.splat(QUOTE)))) {
      at = passField(begin, end, separator);
      if (at >= end) break;
      begin = ++at;
      count--;
      continue;
    }
    let ends = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(separator)));
    const found = <u32>popcnt(ends);
    if (found >= count) {
      for (; count > 1; count--) ends &= ends - 1;
      at += ctz(ends) + 1;
      count = u32(at > end);
      break;
    }
    if (found > 0) begin = at + 32 - clz(ends);
    count -= found;
    at += 16;
  }
  csvFound = count == 0;
  return min(at, end);
}
