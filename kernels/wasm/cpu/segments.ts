/**
 * Segments: which adjacent records belong together (src/keys/fields.ts), and the order inside each segment. Knows
 * items and the shape of segments, but not how a segment continues beyond the text at hand.
 */
import { partEnd, skipBytes, skipFields, TO_END } from '../shared/fields';
import { beginOf, endOf, ITEM, ITEM_SHIFT } from './item';
import { order } from './order';
import { tail, textBegin } from './shape';
import { sharedBytes } from '../shared/text';

/** Kinds of segments, numbered as in src/keys/fields.ts. */
const BLANK: u32 = 1;
const FIELDS: u32 = 2;
const BYTES: u32 = 3;

let kind: u32 = 0;
/** Whether records have segments. */
export function hasSegments(): bool { return kind != 0; }

/**
 * For begin and end: fields to skip, then bytes, and whether to skip blanks between.
 * BYTES: the first byte and the number.
 */
let beginField: u32 = 0;
let beginByte: u32 = 0;
let beginBlanks: bool = false;
let endField: u32 = TO_END;
let endByte: u32 = 0;
let endBlanks: bool = false;
/** The bytes that separate fields, and their number; none: each run of blanks begins a field. */
let separator: u32 = 0;
let separatorBytes: u32 = 0;

/** Takes the numbers of a SegmentShape (src/engines/cpu/shape.ts). */
export function setSegments(
  newKind: u32, newBeginField: u32, newBeginByte: u32, newBeginBlanks: bool,
  newEndField: u32, newEndByte: u32, newEndBlanks: bool, newSeparator: u32, newSeparatorBytes: u32,
): void {
  kind = newKind;
  beginField = newBeginField;
  beginByte = newBeginByte;
  beginBlanks = newBeginBlanks;
  endField = newEndField;
  endByte = newEndByte;
  endBlanks = newEndBlanks;
  separator = newSeparator;
  separatorBytes = newSeparatorBytes;
}

/**
 * The mark of the last record examined: the bytes that identify its segment, and whether it is a segment of its own.
 */
let markBegin: u32 = 0;
let markEnd: u32 = 0;
let alone: bool = false;

function isBlankLine(begin: u32, end: u32): bool {
  for (let at = begin; at < end; at++) {
    const byte = load<u8>(at);
    // A space, a tab, a newline, a carriage return.
    if (byte != 32 && byte != 9 && byte != 10 && byte != 13) return false;
  }
  return true;
}

/** Sets the mark to that of the record [first, end), its delimiter included. */
function takeMark(first: u32, end: u32): void {
  const begin = textBegin(first);
  const stop = end - tail;
  alone = kind == BLANK && isBlankLine(begin, stop);
  markBegin = markEnd = begin;
  if (kind == BYTES) {
    markBegin = begin + beginByte;
    markEnd = markBegin + endByte;
  } else if (kind == FIELDS) {
    const first = skipFields(begin, stop, beginField, separator, separatorBytes, true);
    markBegin = skipBytes(first, stop, beginByte, beginBlanks);
    markEnd = max(markBegin,
      partEnd(begin, stop, beginField, first, endField, endByte, endBlanks, separator, separatorBytes));
  }
}

/**
 * Sets the mark to that of the next record, [begin, end); returns whether it belongs to the segment of the mark before.
 */
function joins(begin: u32, end: u32): bool {
  const lastBegin = markBegin;
  const lastBytes = markEnd - markBegin;
  const wasAlone = alone;
  takeMark(begin, end);
  return !wasAlone && !alone
    && markEnd - markBegin == lastBytes && sharedBytes(lastBegin, markBegin, lastBytes) == lastBytes;
}

/** Whether records [beginA, endA) and [beginB, endB), if adjacent, belong to one segment. */
export function sameSegment(beginA: u32, endA: u32, beginB: u32, endB: u32): bool {
  takeMark(beginA, endA);
  return joins(beginB, endB);
}

function itemAt(items: usize, number: u32): usize { return items + (<usize>number << ITEM_SHIFT); }

/** Where the segment of the first of `count` items (at least one) ends. */
export function firstSegmentEnd(items: usize, count: u32): u32 {
  takeMark(beginOf(items), endOf(items));
  let end: u32 = 1;
  while (end < count && joins(beginOf(itemAt(items, end)), endOf(itemAt(items, end)))) end++;
  return end;
}

/** Where the segment of the last of `count` items (at least one) begins. */
export function lastSegmentBegin(items: usize, count: u32): u32 {
  let begin = count - 1;
  takeMark(beginOf(itemAt(items, begin)), endOf(itemAt(items, begin)));
  while (begin > 0 && joins(beginOf(itemAt(items, begin - 1)), endOf(itemAt(items, begin - 1)))) begin--;
  return begin;
}

/** Orders `count` items segment by segment; `room` and `ranges` as in `order`. */
export function orderSegments(items: usize, count: u32, room: usize, ranges: usize): void {
  const end = itemAt(items, count);
  let segment = items;
  takeMark(beginOf(items), endOf(items));
  for (let item = items + ITEM; item < end; item += ITEM) {
    if (joins(beginOf(item), endOf(item))) continue;
    orderOne(segment, item, room, ranges);
    segment = item;
  }
  orderOne(segment, end, room, ranges);
}

function orderOne(from: usize, to: usize, room: usize, ranges: usize): void {
  if (to - from > ITEM) order(from, <u32>((to - from) >> ITEM_SHIFT), room, ranges);
}
