/**
 * Records that are not among the first (last) ones wanted, because as many others are known that come before (after) them: they need not be
 * ordered. What is known of one text holds for all after it. Knows items and keys, no order.
 */
import { beginOf, endOf, ITEM, ITEM_SHIFT, moveItem } from './item';
import { KEY, size, windowBegin, windowEnd } from './shape';
import { keyAt } from './text';
import { lineEnd } from './tokenize';

/** Between these are the first 8 bytes of the keys of all records that may be wanted. */
let least: u64 = 0;
let greatest: u64 = u64.MAX_VALUE;

function firstBytes(begin: u32, end: u32): u64 {
  return keyAt(windowBegin(begin, KEY), windowEnd(begin, end, KEY));
}

/** Told that as many records as are wanted do not come after (`last`: before) the one that begins at `begin`. */
export function tightenBound(begin: u32, last: bool): void {
  const key = firstBytes(begin, size > 0 ? begin + size : lineEnd(begin));
  if (last) least = max(least, key);
  else greatest = min(greatest, key);
}

/** Moves those of `count` items that may be wanted to the front, in their order; returns how many they are. */
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
