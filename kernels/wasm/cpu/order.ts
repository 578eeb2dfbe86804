/**
 * Orders items by their compared bytes. Knows text, items and the shape, but not where the items come from.
 *
 * A stack holds ranges of items that are equal up to some depth. For each range: skip the bytes it shares, sort by the
 * next 8 bytes, let lengths decide if the compared bytes end in them, and push the groups that are still tied. The skip
 * reads shared bytes once, however many records there are. Source: MSD radix sort with cached symbols, Karkkainen and
 * Rantala, Engineering Radix Sort for Strings, SPIRE 2008.
 */
import { beginOf, drop, endOf, ITEM, ITEM_SHIFT, keyOf, moveItem, setKey } from './item';
import { comparedBegin, comparedEnd, flip, KEY, lastResort, unique, WHOLE } from './shape';
import { sortByKey, sortByLastBits } from './sort';
import { sharedBytes } from '../shared/text';
import { compareRecords, keyAt } from './compare';

/** Up to this many tied items are compared with each other, to the end of their text. */
const COMPARE_MOST: usize = 8;
/** Bytes of a key. */
const KEY_BYTES: u32 = 8;
/** Bits of a number of bytes left, from 0 to KEY_BYTES + 1. */
const LENGTH_BITS: u32 = 4;

/** The stack of ranges, four numbers each: first item, end of the last item, depth, KEY or WHOLE. */
let stack: usize = 0;

function push(from: usize, to: usize, depth: u32, by: u32): void {
  store<u32>(stack, <u32>from);
  store<u32>(stack, <u32>to, 4);
  store<u32>(stack, depth, 8);
  store<u32>(stack, by, 12);
  stack += 16;
}

/**
 * Orders `count` items (at least one) by their compared bytes. Stable; under `unique` only the first of equal items is
 * kept. Needs room for as many items `room` bytes further on, and at `ranges` for half their bytes (a range has at
 * least two items) and one more range. Returns how many bytes all records share at the beginning of their keys.
 */
export function order(items: usize, count: u32, room: usize, ranges: usize): u32 {
  let shared: u32 = u32.MAX_VALUE;
  stack = ranges;
  push(items, items + (<usize>count << ITEM_SHIFT), 0, KEY);
  while (stack > ranges) {
    stack -= 16;
    const from = <usize>load<u32>(stack);
    const to = <usize>load<u32>(stack, 4);
    const by = load<u32>(stack, 12);
    const depth = load<u32>(stack, 8) + commonPrefix(from, to, load<u32>(stack, 8), by);
    if (shared == u32.MAX_VALUE) shared = depth;
    if (!takeKeys(from, to, depth, by)) sortByKey(from, to, room, differing);
    for (let item = from; item < to;) {
      const end = tieEnd(item, to);
      if (end - item > ITEM) settleTies(item, end, room, depth, by);
      item = end;
    }
  }
  return shared;
}

/** Compared bytes that all items share from `depth`. Reads only the shared bytes. */
function commonPrefix(from: usize, to: usize, depth: u32, by: u32): u32 {
  const first = comparedBegin(beginOf(from), by) + depth;
  let shared = comparedEnd(beginOf(from), endOf(from), by) - first;
  for (let item = from + ITEM; item < to && shared > 0; item += ITEM) {
    const begin = comparedBegin(beginOf(item), by) + depth;
    shared = sharedBytes(first, begin, min(shared, comparedEnd(beginOf(item), endOf(item), by) - begin));
  }
  return shared;
}

/** The bits in which the keys differ that takeKeys has set. */
let differing: u64 = 0;

/** Sets the items' keys to the next 8 of their compared bytes; returns whether the items are in order already. */
function takeKeys(from: usize, to: usize, depth: u32, by: u32): bool {
  let rising = true;
  let last: u64 = 0;
  let ones: u64 = 0;
  let all = u64.MAX_VALUE;
  for (let item = from; item < to; item += ITEM) {
    const begin = beginOf(item);
    const key = keyAt(comparedBegin(begin, by) + depth, comparedEnd(begin, endOf(item), by));
    setKey(item, key);
    ones |= key;
    all &= key;
    rising = rising && last <= key;
    last = key;
  }
  differing = ones ^ all;
  return rising;
}

/** The end of the items whose keys equal that of the item at `from`. */
function tieEnd(from: usize, to: usize): usize {
  const key = keyOf(from);
  let end = from + ITEM;
  while (end < to && keyOf(end) == key) end += ITEM;
  return end;
}

/** Orders items with equal keys, or pushes them on the stack. */
function settleTies(from: usize, to: usize, room: usize, depth: u32, by: u32): void {
  // The compared bytes from the key's beginning on; 9 means that they continue beyond the key.
  const beyond = KEY_BYTES + 1;
  let shortest: u32 = beyond;
  let longest: u32 = 0;
  for (let item = from; item < to; item += ITEM) {
    const begin = beginOf(item);
    const left = min(comparedEnd(begin, endOf(item), by) - comparedBegin(begin, by) - depth, beyond);
    setKey(item, <u64>left ^ flip);
    shortest = min(shortest, left);
    longest = max(longest, left);
  }
  if (shortest == longest && longest < beyond) settleEquals(from, to, by);
  else if (to - from <= COMPARE_MOST << ITEM_SHIFT) compareAll(from, to, depth + min(shortest, KEY_BYTES), by);
  else {
    if (shortest < longest) sortByLastBits(from, to, room, LENGTH_BITS);
    for (let item = from; item < to;) {
      const end = tieEnd(item, to);
      if (end - item > ITEM) {
        if ((keyOf(item) ^ flip) == beyond) push(item, end, depth + KEY_BYTES, by);
        else settleEquals(item, end, by);
      }
      item = end;
    }
  }
}

/** Orders at least two items whose compared bytes are equal. */
function settleEquals(from: usize, to: usize, by: u32): void {
  if (lastResort && by == KEY) {
    if (to - from <= COMPARE_MOST << ITEM_SHIFT) compareAll(from, to, 0, WHOLE);
    else push(from, to, 0, WHOLE);
  } else if (unique) dropAll(from + ITEM, to);
}

/** Insertion sort by comparing the bytes from `depth` on. */
function compareAll(from: usize, to: usize, depth: u32, by: u32): void {
  for (let next = from + ITEM; next < to; next += ITEM) {
    const item = v128.load(next);
    const begin = beginOf(next);
    const end = endOf(next);
    let place = next;
    while (place > from && compareRecords(beginOf(place - ITEM), endOf(place - ITEM), begin, end, depth, by) > 0) {
      moveItem(place - ITEM, place);
      place -= ITEM;
    }
    v128.store(place, item);
  }
  if (unique) dropEquals(from, to, depth, by);
}

/** Drops all but the first of equal items; the items are in order. */
function dropEquals(from: usize, to: usize, depth: u32, by: u32): void {
  let begin = beginOf(from);
  let end = endOf(from);
  for (let item = from + ITEM; item < to; item += ITEM) {
    const equal = compareRecords(begin, end, beginOf(item), endOf(item), depth, by) == 0;
    if (equal) drop(item);
    else {
      begin = beginOf(item);
      end = endOf(item);
    }
  }
}

function dropAll(from: usize, to: usize): void {
  for (let item = from; item < to; item += ITEM) drop(item);
}
