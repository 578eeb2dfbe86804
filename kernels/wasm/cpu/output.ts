/** Writes sorted records one after another. Knows no order. */
import { beginOf, endOf, isDropped, ITEM, ITEM_SHIFT } from './item';
import { delimiter, outputDelimiter, restoresBam, textBegin } from './shape';
import { decodeLine } from '../shared/cobs';
import { copyRecord } from '../shared/text';

let place: usize = 0;
let records: u32 = 0;
/** Whether records are written without their keys, as they were read. */
let plain: bool = false;
/** Whether such records end in another delimiter. */
let endsAnew: bool = false;
/** Whether such records are written as BAM. */
let decodes: bool = false;

/** Begins an output at `target`. `newPlain`: without keys, and in the form of the output. */
export function openOutput(target: usize, newPlain: bool): void {
  place = target;
  records = 0;
  plain = newPlain;
  endsAnew = newPlain && outputDelimiter != delimiter;
  decodes = newPlain && restoresBam;
}

/** The end of the output, where the next record begins. */
export function outputEnd(): f64 { return <f64>place; }

/** How many records have been written. */
export function outputRecords(): u32 { return records; }

/** Appends the record [begin, end). */
// @ts-ignore: decorator
@inline
export function append(begin: u32, end: u32): void {
  records++;
  const from = plain ? textBegin(begin) : begin;
  if (decodes) {
    place = decodeLine(from, end, place);
    return;
  }
  copyRecord(from, end, place);
  place += end - from;
  if (endsAnew) store<u8>(place - 1, outputDelimiter);
}

/** Appends the record [begin, end) `count` times; the text contains it that many times in a row. */
export function appendRepeats(begin: u32, end: u32, count: u32): void {
  if (plain) for (; count > 0; count--) append(begin, end);
  else appendText(end, end + count * (end - begin), count);
}

/** Appends the text [begin, end), which has `count` records, as it is. */
export function appendText(begin: u32, end: u32, count: u32): void {
  records += count;
  memory.copy(place, begin, end - begin);
  place += end - begin;
}

/** Appends the records of `count` items, except dropped ones. */
export function gather(items: usize, count: u32): void {
  for (const end = items + (<usize>count << ITEM_SHIFT); items < end; items += ITEM) {
    if (!isDropped(items)) append(beginOf(items), endOf(items));
  }
}

/**
 * The first of the last `most` records of `count` items, dropped ones not counted; 0 if there are no more than `most`.
 */
export function lastItems(items: usize, count: u32, most: f64): u32 {
  let left = most;
  for (let item = items + (<usize>count << ITEM_SHIFT); count > 0; count--) {
    item -= ITEM;
    if (!isDropped(item) && --left < 0) return count;
  }
  return 0;
}
