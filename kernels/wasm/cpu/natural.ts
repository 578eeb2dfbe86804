/**
 * Natural runs: records read in order or in reverse order (Knuth, The Art of Computer Programming, volume 3, section
 * 5.2.4). Knows text, items and the shape, but not how runs are used.
 *
 * Each record is compared with the one before it until neither order holds. Lines of 100 bytes in order cost 12 ns
 * each, tokenizing included; text in random order costs a few comparisons per tile.
 */
import { beginOf, drop, endOf, isDropped, ITEM, ITEM_SHIFT, keyOf, moveItem, setKey, setRecord } from './item';
import { comparedBegin, comparedEnd, KEY, unique } from './shape';
import { sharedBytes } from '../shared/text';
import { compareRecords, keyAt } from './compare';
import { lastRecordBegin, recordEnd } from './tokenize';

/**
 * The order of a tile's records, as bits (NATURAL in src/engines/cpu/kernels.ts); if all are equal, both bits are set.
 */
const RISING: u32 = 1;
const FALLING: u32 = 2;
/** Some records equal the one before them; under `unique` these are dropped. */
const EQUALS: u32 = 4;

/** The order of the items so far, and the last one that was not dropped. */
let found: u32 = 0;
let lastBegin: u32 = 0;
let lastEnd: u32 = 0;

/** The first 8 bytes of a record's key. */
// @ts-ignore: decorator
@inline
function firstKey(begin: u32, end: u32): u64 {
  return keyAt(comparedBegin(begin, KEY), comparedEnd(begin, end, KEY));
}

/**
 * Compares the items [from, to) of the tile at `items`, in input order, with the ones before them. Returns the order of
 * the items before `to`; 0: no order holds, and no item is dropped. Call it for all items, one part after another,
 * until it returns 0.
 */
export function notice(items: usize, from: u32, to: u32): u32 {
  let item = items + (<usize>from << ITEM_SHIFT);
  const stop = items + (<usize>to << ITEM_SHIFT);
  if (from == 0) {
    found = RISING | FALLING;
    lastBegin = beginOf(item);
    lastEnd = endOf(item);
    setKey(item, 0);
    item += ITEM;
  }
  let before = lastBegin;
  let beforeEnd = lastEnd;
  let beforeKey = firstKey(before, beforeEnd);
  for (; item < stop; item += ITEM) {
    const begin = beginOf(item);
    const end = endOf(item);
    const key = firstKey(begin, end);
    const sign = key != beforeKey ? (beforeKey < key ? -1 : 1) : compareRecords(before, beforeEnd, begin, end, 0, KEY);
    // For reverseItems.
    setKey(item, u64(sign == 0));
    if (sign == 0) {
      found |= EQUALS;
      if (unique) {
        drop(item);
        continue;
      }
    } else {
      found &= ~(sign < 0 ? FALLING : RISING);
      if ((found & (RISING | FALLING)) == 0) {
        if (unique && found != 0) restore(items, item);
        return 0;
      }
    }
    before = begin;
    beforeEnd = end;
    beforeKey = key;
  }
  lastBegin = before;
  lastEnd = beforeEnd;
  return found;
}

/** Restores the dropped items of [from, to): each record begins where the one before it ends. */
function restore(from: usize, to: usize): void {
  for (let item = from + ITEM; item < to; item += ITEM) setRecord(item, endOf(item - ITEM), endOf(item));
}

/** Reverses `count` items that `notice` has just found in reverse order; equal items stay in input order. */
export function reverseItems(items: usize, count: u32): void {
  const end = items + (<usize>count << ITEM_SHIFT);
  reverse(items, end);
  if ((found & EQUALS) == 0) return;
  // The reversal moved the first of equal items to the end. Its key is 0, and it is the one that `unique` keeps.
  for (let from = items; from < end;) {
    let to = from;
    while (to < end - ITEM && keyOf(to) != 0) to += ITEM;
    to += ITEM;
    if (to - from > ITEM) reverse(from, to);
    from = to;
  }
}

function reverse(from: usize, to: usize): void {
  for (to -= ITEM; from < to; from += ITEM, to -= ITEM) {
    const item = v128.load(from);
    moveItem(to, from);
    v128.store(to, item);
  }
}

/** The bytes of the records of `count` items. */
export function keptBytes(items: usize, count: u32): f64 {
  let bytes: u32 = 0;
  for (const end = items + (<usize>count << ITEM_SHIFT); items < end; items += ITEM) {
    bytes += endOf(items) - beginOf(items);
  }
  return <f64>bytes;
}

/** Drops the record of an item. */
export function dropItem(item: usize): void { if (!isDropped(item)) drop(item); }

/** Compares the last record of the nonempty text [begin, end) with the record of an item. */
export function compareLast(begin: u32, end: u32, item: usize): i32 {
  return compareRecords(lastRecordBegin(begin, end), end, beginOf(item), endOf(item), 0, KEY);
}

/**
 * Bytes at the beginning of their keys that all records of the ordered text [begin, end) share
 * with the record at `other`.
 */
export function sharedByRun(begin: u32, end: u32, other: u32): u32 {
  const last = lastRecordBegin(begin, end);
  return min(sharedByTwo(other, begin), sharedByTwo(other, last));
}

function sharedByTwo(a: u32, b: u32): u32 {
  const keyA = comparedBegin(a, KEY);
  const keyB = comparedBegin(b, KEY);
  const bytesA = comparedEnd(a, recordEnd(a), KEY) - keyA;
  const bytesB = comparedEnd(b, recordEnd(b), KEY) - keyB;
  return sharedBytes(keyA, keyB, min(bytesA, bytesB));
}
