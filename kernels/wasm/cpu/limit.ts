/**
 * Skips records that cannot be among the first (last) ones to keep, because enough others are known to come before
 * (after) them. A bound learned from one text holds for all later ones. Knows items and keys, but no order.
 */
import { beginOf, endOf, ITEM, ITEM_SHIFT, moveItem } from './item';
import { comparedBegin, comparedEnd, KEY } from './shape';
import { keyAt } from './compare';
import { recordEnd } from './tokenize';

/** Records that may be kept have keys whose first 8 bytes are between these. */
let least: u64 = 0;
let greatest: u64 = u64.MAX_VALUE;

function firstBytes(begin: u32, end: u32): u64 {
  return keyAt(comparedBegin(begin, KEY), comparedEnd(begin, end, KEY));
}

/** Tightens the bound: enough records do not come after (`last`: before) the record at `begin`. */
export function tightenBound(begin: u32, last: bool): void {
  const key = firstBytes(begin, recordEnd(begin));
  if (last) least = max(least, key);
  else greatest = min(greatest, key);
}

/** Moves those of `count` items that may be kept to the front, in order; returns their number. */
export function withinBound(items: usize, count: u32): u32 {
  if (least == 0 && greatest == u64.MAX_VALUE) return count;
  const end = items + (<usize>count << ITEM_SHIFT);
  let place = items;
  for (let item = items; item < end; item += ITEM) {
    const key = firstBytes(beginOf(item), endOf(item));
    if (key < least || key > greatest) continue;
    moveItem(item, place);
    place += ITEM;
  }
  return <u32>((place - items) >> ITEM_SHIFT);
}

/** The end of `count` records, the first of which begins at `begin`. */
export function recordsEnd(begin: u32, count: u32): f64 {
  for (; count > 0; count--) begin = recordEnd(begin);
  return <f64>begin;
}
