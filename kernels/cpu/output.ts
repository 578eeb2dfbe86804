/** Where sorted records go: side by side, with the place of every INDEX_STEP-th of them. Knows no order. */
import { beginOf, endOf, isDropped, ITEM, ITEM_SHIFT } from './item';
import { textBegin } from './shape';
import { copyRecord } from './text';

/** As in src/cpu/kernels.ts. */
const INDEX_STEP: u32 = 16;

let first: usize = 0;
export let place: usize = 0;
let index: usize = 0;
let records: u32 = 0;
/** Records are written as they were read: without their keys. */
let plain: bool = false;

/** Begins an output at `target`. Where every INDEX_STEP-th of its records, from the first on, went, counted from there, is written to `newIndex` in 4 bytes each. `newPlain`: without their keys. */
export function openOutput(target: usize, newIndex: usize, newPlain: bool): void {
  first = place = target;
  index = newIndex;
  records = 0;
  plain = newPlain;
}

/** Where the next record will go: the end of the output. */
export function outputEnd(): f64 { return <f64>place; }

/** How many records have been written. */
export function outputRecords(): u32 { return records; }

/** Appends the record [begin, end). */
// @ts-ignore: decorator
@inline
export function append(begin: u32, end: u32): void {
  if ((records & (INDEX_STEP - 1)) == 0) {
    store<u32>(index, <u32>(place - first));
    index += 4;
  }
  records++;
  const from = plain ? textBegin(begin) : begin;
  copyRecord(from, end, place);
  place += end - from;
}

/** Appends the records of `count` items, dropped ones apart. */
export function gather(items: usize, count: u32): void {
  for (const end = items + (<usize>count << ITEM_SHIFT); items < end; items += ITEM) {
    if (!isDropped(items)) append(beginOf(items), endOf(items));
  }
}

/** The first of `count` items from which on at most `most` records are left, dropped ones apart; 0 where they are no more. */
export function lastItems(items: usize, count: u32, most: f64): u32 {
  let left = most;
  for (let item = items + (<usize>count << ITEM_SHIFT); count > 0; count--) {
    item -= ITEM;
    if (!isDropped(item) && --left < 0) return count;
  }
  return 0;
}
