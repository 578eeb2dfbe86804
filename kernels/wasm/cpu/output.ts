/** Writes sorted records one after another. Knows no order. */
import { beginOf, endOf, isDropped, ITEM, ITEM_SHIFT } from './item';
import { textBegin } from './shape';
import { recordEnd } from './tokenize';
import { decodeLine } from '../shared/cobs';
import { copyRecord } from '../shared/text';

let place: usize = 0;
let records: u32 = 0;
/** Records are written as they are, with their keys. FORM in src/engines/cpu/kernels.ts numbers all forms. */
const RUN: i32 = 0;
/** Records are written without keys, and with a newline in place of their delimiter. */
const NEWLINES: i32 = 2;
/** Lines are written without keys, as the BAM records that they represent (../shared/cobs.ts). */
const BAM: i32 = 3;
/** The form of this output. Any other number means records without keys. */
let form: i32 = RUN;

const NEWLINE: u8 = 10;

/** Begins an output at `target`. */
export function openOutput(target: usize, newForm: i32): void {
  place = target;
  records = 0;
  form = newForm;
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
  const from = form == RUN ? begin : textBegin(begin);
  if (form == BAM) {
    place = decodeLine(from, end, place);
    return;
  }
  copyRecord(from, end, place);
  place += end - from;
  if (form == NEWLINES) store<u8>(place - 1, NEWLINE);
}

/** Appends the record [begin, end) `count` times; the text contains it that many times in a row. */
export function appendRepeats(begin: u32, end: u32, count: u32): void {
  if (form != RUN) for (; count > 0; count--) append(begin, end);
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

/** Appends keyed records that are in two parts: each item has the addresses of an entry and of its record. */
export function gatherEntries(items: usize, count: u32): void {
  records += count;
  for (const end = items + (<usize>count << ITEM_SHIFT); items < end; items += ITEM) {
    const entry = beginOf(items);
    const record = endOf(items);
    const keyEnd = textBegin(entry);
    const recordStop = recordEnd(record);
    copyRecord(entry, keyEnd, place);
    place += keyEnd - entry;
    copyRecord(record, recordStop, place);
    place += recordStop - record;
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
