/** Writes sorted records one after the other, with an index of every INDEX_STEP-th of them. Knows no order. */
import { beginOf, endOf, isDropped, ITEM, ITEM_SHIFT } from './item';
import { delimiter, outputDelimiter, size, textBegin } from './shape';
import { copyRecord } from '../shared/text';

/** As in src/engines/cpu/kernels.ts. */
const INDEX_STEP: u32 = 16;

let first: usize = 0;
let place: usize = 0;
let index: usize = 0;
let records: u32 = 0;
/** Whether records are written without their keys, as they were read. */
let plain: bool = false;
/** Whether they then end in another byte. */
let endsAnew: bool = false;

/**
 * Begins an output at `target`. Writes the offset in it of every INDEX_STEP-th record, from the first, to `newIndex`, 4
 * bytes each. `newPlain`: without keys, and with the delimiter of the output.
 */
export function openOutput(target: usize, newIndex: usize, newPlain: bool): void {
  first = place = target;
  index = newIndex;
  records = 0;
  plain = newPlain;
  endsAnew = newPlain && outputDelimiter != delimiter;
}

/** The end of the output, where the next record begins. */
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
  if (endsAnew) store<u8>(place - 1, outputDelimiter);
}

/** Appends the record [begin, end) `count` times; as many copies of it follow it in the text. */
export function appendRepeats(begin: u32, end: u32, count: u32): void {
  if (plain) {
    for (; count > 0; count--) append(begin, end);
    return;
  }
  const bytes = end - begin;
  for (let i = -records & (INDEX_STEP - 1); i < count; i += INDEX_STEP) {
    store<u32>(index, <u32>(place - first) + i * bytes);
    index += 4;
  }
  records += count;
  memory.copy(place, end, count * bytes);
  place += count * bytes;
}

/** Appends the records of `count` items, except dropped ones. */
export function gather(items: usize, count: u32): void {
  for (const end = items + (<usize>count << ITEM_SHIFT); items < end; items += ITEM) {
    if (!isDropped(items)) append(beginOf(items), endOf(items));
  }
}

/**
 * Makes the records of `count` items a part of the output. They lie where the output ends, and none is dropped. Costs
 * one store for every INDEX_STEP-th record.
 */
export function takeItems(items: usize, count: u32): void {
  for (let i = -records & (INDEX_STEP - 1); i < count; i += INDEX_STEP) {
    store<u32>(index, beginOf(items + (<usize>i << ITEM_SHIFT)) - <u32>first);
    index += 4;
  }
  records += count;
  place = endOf(items + (<usize>(count - 1) << ITEM_SHIFT));
}

/**
 * Makes the text from the end of the output to `to` a part of it. The last call's `to` ends a record.
 * 0.1 ns per byte of lines.
 */
export function takeText(to: usize): void {
  if (size > 0) takeFixed(to);
  else takeLines(to);
  place = to;
}

function takeFixed(to: usize): void {
  const end = <u32>((to - first) / size);
  for (let i = (records + INDEX_STEP - 1) & -INDEX_STEP; i < end; i += INDEX_STEP) {
    store<u32>(index, i * size);
    index += 4;
  }
  records = end;
}

function takeLines(to: usize): void {
  if (place == first && place < to) {
    store<u32>(index, 0);
    index += 4;
  }
  const pattern = i8x16.splat(delimiter);
  for (let at = place; at < to; at += 16) {
    let found = i8x16.bitmask(i8x16.eq(v128.load(at), pattern));
    if (to - at < 16) found &= (1 << <i32>(to - at)) - 1;
    const before = records & (INDEX_STEP - 1);
    const count = <u32>popcnt(found);
    records += count;
    if (before + count < INDEX_STEP) continue;
    for (let passed = before + 1; passed < INDEX_STEP; passed++) found &= found - 1;
    store<u32>(index, <u32>(at + ctz(found) + 1 - first));
    index += 4;
  }
}

/** Moves the output to `target`. */
export function moveOutput(target: usize): void {
  memory.copy(target, first, place - first);
  place = target + (place - first);
  first = target;
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
