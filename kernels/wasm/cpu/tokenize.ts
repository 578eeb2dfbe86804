/** Finds the ends of records. Knows no order. */
import { endOf, ITEM, ITEM_SHIFT, setRecord } from './item';
import { lineEnd as endOfLine } from '../shared/lines';
import { delimiter, size, sized } from './shape';

/** Bytes of the length with which a record may begin. */
const LENGTH_BYTES: u32 = 4;

/**
 * Makes items of the records in [from, to), at most `most`; returns their number. `from` begins a record and `to` ends
 * one; records that begin with their length are those that begin before `to`. Leaves the items' keys unset.
 */
export function readRecords(from: u32, to: u32, items: usize, most: u32): u32 {
  if (size > 0) return readFixed(from, to, items, most);
  return sized ? readSized(from, to, items, most) : readLines(from, to, items, most);
}

function readFixed(from: u32, to: u32, items: usize, most: u32): u32 {
  const count = min(most, (to - from) / size);
  for (let i: u32 = 0; i < count; i++, from += size, items += ITEM) setRecord(items, from, from + size);
  return count;
}

function readSized(from: u32, to: u32, items: usize, most: u32): u32 {
  let count: u32 = 0;
  for (; count < most && from < to; count++, items += ITEM) {
    const end = recordEnd(from);
    setRecord(items, from, end);
    from = end;
  }
  return count;
}

function readLines(from: u32, to: u32, items: usize, most: u32): u32 {
  const pattern = i8x16.splat(delimiter);
  let begin = from;
  let count: u32 = 0;
  for (let at = from; at < to; at += 16) {
    let found = delimitersIn(at, pattern);
    if (to - at < 16) found &= (1 << (to - at)) - 1;
    for (; found != 0; found &= found - 1) {
      if (count == most) return count;
      const end = at + ctz(found) + 1;
      setRecord(items, begin, end);
      items += ITEM;
      begin = end;
      count++;
    }
  }
  return count;
}

/** Where the text of `count` items (at least one), in input order, ends. */
export function textEnd(items: usize, count: u32): f64 {
  return <f64>endOf(items + (<usize>(count - 1) << ITEM_SHIFT));
}

/** The end of the line that contains byte `at`. */
export function lineEnd(at: u32): u32 { return endOfLine(at, delimiter); }

/** lineEnd for the host. */
export function lineEndAt(at: u32): f64 { return <f64>lineEnd(at); }

/** Where the last record of the text [begin, end) begins. */
export function lastRecordBegin(begin: u32, end: u32): u32 {
  if (size > 0) return end - size;
  if (!sized) return lastLineBegin(begin, end);
  for (let next = recordEnd(begin); next < end; next = recordEnd(begin)) begin = next;
  return begin;
}

/** Where the last line of the text [begin, end) begins. Reads up to 15 bytes before `begin`. */
function lastLineBegin(begin: u32, end: u32): u32 {
  const pattern = i8x16.splat(delimiter);
  // Skip the delimiter that ends the line.
  for (let at = end - 1; at > begin; at -= 16) {
    const found = delimitersIn(at - 16, pattern);
    if (found != 0) return max(begin, at - 16 + 32 - clz(found));
    if (at < 16 + begin) break;
  }
  return begin;
}

/** A bit for each of the 16 bytes from `at` that is a delimiter. */
function delimitersIn(at: u32, pattern: v128): u32 {
  return i8x16.bitmask(i8x16.eq(v128.load(at), pattern));
}

/** Where the first record at byte `at` or later begins. `from`, where a record begins, is not later. */
export function recordFrom(from: u32, at: u32): u32 {
  if (size > 0) return from + (at - from) / size * size;
  if (sized) {
    while (from < at) from = recordEnd(from);
    return from;
  }
  return at == from ? from : lineEnd(at - 1);
}

/** The end of the record that begins at `begin`. */
export function recordEnd(begin: u32): u32 {
  if (size > 0) return begin + size;
  return sized ? begin + LENGTH_BYTES + load<u32>(begin) : lineEnd(begin);
}
