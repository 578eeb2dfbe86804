/**
 * Sorts items by key, stably: MSD radix sort, with insertion sort for small bins. Knows no text.
 *
 * Most work is on few items at a time, which stay in the first-level cache. A byte that is the same in all keys costs
 * one count. Source: McIlroy, Bostic, McIlroy, Engineering Radix Sort, 1993;
 * with a second array instead of swaps, for stability.
 */
import { ITEM, ITEM_SHIFT, keyOf, moveItem } from './item';

/** Up to this many items, insertion sort costs less than counting bytes; values from 12 to 48 perform alike. */
const INSERTION_MOST: usize = 24;
/** Counters of byte values for each byte of a key: 8 times 256 numbers of 4 bytes, at a fixed address. */
const BINS: usize = 4096;
const BINS_BYTES: usize = 1024;
/** Bytes of a key. */
const KEY_BYTES: u32 = 8;

/**
 * Sorts the items [from, to) by their keys from byte `digit` (0: most significant). Overwrites as many items `room`
 * bytes further on.
 */
export function sortByKey(from: usize, to: usize, room: usize, digit: u32): void {
  if (to - from <= INSERTION_MOST << ITEM_SHIFT) {
    insertionSort(from, to);
    return;
  }
  let bins = BINS + <usize>digit * BINS_BYTES;
  while (!countDigit(from, to, digit, bins)) {
    if (++digit == KEY_BYTES) return;
    bins += BINS_BYTES;
  }
  placeBins(from + room, bins);
  scatter(from, to, digit, bins);
  memory.copy(from, from + room, to - from);
  if (++digit == KEY_BYTES) return;
  // Each bin now holds where its items end.
  let begin = from;
  for (let bin = bins; bin < bins + BINS_BYTES; bin += 4) {
    const end = <usize>load<u32>(bin) - room;
    if (end - begin > ITEM) sortByKey(begin, end, room, digit);
    begin = end;
  }
}

/** Quadratic: for few items. */
function insertionSort(from: usize, to: usize): void {
  for (let next = from + ITEM; next < to; next += ITEM) {
    const item = v128.load(next);
    const key = keyOf(next);
    let place = next;
    for (; place > from && keyOf(place - ITEM) > key; place -= ITEM) moveItem(place - ITEM, place);
    v128.store(place, item);
  }
}

function binOf(item: usize, digit: u32, bins: usize): usize {
  return bins + (<usize>load<u8>(item + (KEY_BYTES - 1 - digit)) << 2);
}

/** Counts the values of a byte; false if there is only one. */
function countDigit(from: usize, to: usize, digit: u32, bins: usize): bool {
  memory.fill(bins, 0, BINS_BYTES);
  for (let item = from; item < to; item += ITEM) {
    const bin = binOf(item, digit, bins);
    store<u32>(bin, load<u32>(bin) + 1);
  }
  return <usize>load<u32>(binOf(from, digit, bins)) << ITEM_SHIFT != to - from;
}

/** Replaces counts by the addresses of each bin's first item. */
function placeBins(to: usize, bins: usize): void {
  let place = <u32>to;
  for (let bin = bins; bin < bins + BINS_BYTES; bin += 4) {
    const count = load<u32>(bin);
    store<u32>(bin, place);
    place += count << <u32>ITEM_SHIFT;
  }
}

function scatter(from: usize, to: usize, digit: u32, bins: usize): void {
  for (let item = from; item < to; item += ITEM) {
    const bin = binOf(item, digit, bins);
    const place = load<u32>(bin);
    store<u32>(bin, place + <u32>ITEM);
    moveItem(item, place);
  }
}
