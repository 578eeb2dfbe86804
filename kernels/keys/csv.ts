/**
 * CSV and its like (RFC 4180): a field that begins with a quote goes on to the next single quote, whatever is between; two quotes in it are one.
 * A quote anywhere else is an ordinary byte.
 *
 * Records may hold newlines. So that records are lines all the same, the newlines that end them are written as NUL, which a CSV file does not
 * hold, before anything else is done, and as newlines again at the very end.
 */
import { skipBytes } from '../cpu/fields';

const QUOTE: u8 = 34;
const NEWLINE: u8 = 10;
const RETURN: u8 = 13;
const NUL: u8 = 0;

/** Where in a record the reader is. */
const FIELD_BEGIN: u32 = 0;
const PLAIN: u32 = 1;
const QUOTED: u32 = 2;
/** Behind a quote inside a quoted field: its end, or the first of two. */
const AFTER_QUOTE: u32 = 3;

let state: u32 = FIELD_BEGIN;

/** Begins an input. */
export function beginCsv(): void { state = FIELD_BEGIN; }

/** Whether the input read so far ends inside quotes. */
export function insideQuotes(): bool { return state == QUOTED; }

/**
 * Makes the newlines that end records NULs in [at, end), which goes on where the last call ended. Returns where the first NUL is that was there before, `end` if there is none. Text
 * without quotes is read 16 bytes a step.
 */
export function endRecords(at: u32, end: u32, separator: u8): u32 {
  const quotes = i8x16.splat(QUOTE);
  const newlines = i8x16.splat(NEWLINE);
  while (at < end) {
    if (end - at >= 16) {
      const bytes = v128.load(at);
      const nuls = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(NUL)));
      if (nuls != 0) return at + ctz(nuls);
      if (i8x16.bitmask(i8x16.eq(bytes, quotes)) == 0 && state != AFTER_QUOTE) {
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
      if (byte == QUOTE && state != PLAIN) state = QUOTED;
      else if (byte == NEWLINE) {
        store<u8>(at, NUL);
        state = FIELD_BEGIN;
      } else state = byte == separator ? FIELD_BEGIN : PLAIN;
    }
  }
  return end;
}

/** Makes NULs newlines in [at, end). */
export function endLines(at: u32, end: u32): void {
  for (; at < end; at += 16) {
    const bytes = v128.load(at);
    v128.store(at, v128.or(bytes, v128.and(i8x16.eq(bytes, i8x16.splat(NUL)), i8x16.splat(NEWLINE))));
  }
}

/** What `findCsv` found. */
export let csvBegin: u32 = 0;
export let csvEnd: u32 = 0;

/**
 * The part of the record [begin, end) that `beginField` and the others name (as in src/keys/segments.ts), as it would be if no field were quoted: copied
 * to `spare`. A carriage return before the record's end is no part of it.
 */
export function findCsv(begin: u32, end: u32, beginField: u32, beginByte: u32, beginBlanks: bool, endField: u32, endByte: u32, endBlanks: bool, separator: u8, spare: u32): void {
  if (end > begin && load<u8>(end - 1) == RETURN) end--;
  // The place behind a field is given as the number of fields before it, or as bytes behind the begin of one.
  const last = endByte == 0 && endField != u32.MAX_VALUE ? endField - 1 : endField;
  let to = spare;
  let from: u32 = 0;
  let lastBegin: u32 = 0;
  let at = begin;
  for (let field: u32 = 0; ; field++) {
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
    if (at >= end || (field == last && endByte == 0)) break;
    store<u8>(to++, separator);
    at++;
  }
  // A record with too few fields ends before its part begins.
  if (from == 0) from = to;
  csvBegin = skipBytes(from, to, beginByte, beginBlanks);
  csvEnd = endByte == 0 || lastBegin == 0 ? to : skipBytes(lastBegin, to, endByte, endBlanks);
  csvEnd = max(csvBegin, csvEnd);
}
