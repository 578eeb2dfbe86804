/**
 * Sorts items by key, stably. Knows no text.
 *
 * Keys of text use few values of each byte: digits ten, letters 26. So the bits in which the keys differ are first
 * moved together; then fewer digits separate the same keys. Digits are sorted from the most significant on, until a bin
 * fits the first-level cache. If few bits are left there, they are sorted from the least significant on, which needs no
 * recursion. Sources: McIlroy, Bostic, McIlroy, Engineering Radix Sort, 1993, with a second array instead of swaps, for
 * stability; packing: Warren, Hacker's Delight, second edition, section 7-4.
 */
import { ITEM, ITEM_SHIFT, keyOf, moveItem, setKey } from './item';

/** Up to this many items, counting for each item those before it costs least; values from 12 to 32 perform alike. */
const FEW: usize = 16;
/** Digits of up to this many items are narrow: adding up the counts of many values would take longer than the items. */
const NARROW_MOST: usize = 200;
const NARROW_BITS: u32 = 4;
const WIDE_BITS: u32 = 10;
/** Up to this many items are sorted from the least significant digit on, in at most three passes. */
const CACHED_MOST: usize = 8192;
const CACHED_BITS: u32 = 11;
const CACHED_PASSES: u32 = 3;
/**
 * The counters of one digit, 4 bytes a value, at a fixed address; those of the next digit follow. At most six wide
 * digits, or three and one of CACHED_BITS, take 24 KiB.
 */
const BINS: usize = 4096;

/** Steps of packing: step i moves the bits of `moves[i]` by 2 ** i places. */
const STEPS: i32 = 6;
const moves = memory.data(8 * STEPS);

/**
 * Sorts the items [from, to) by their keys, which differ in the bits of `differing` at most. Replaces the keys by
 * others of the same order. Overwrites as many items `room` bytes further on.
 */
export function sortByKey(from: usize, to: usize, room: usize, differing: u64): void {
  if (to - from <= FEW << ITEM_SHIFT) {
    sortFew(from, to, room);
    return;
  }
  packKeys(from, to, differing);
  sortByBits(from, to, room, <u32>popcnt(differing), BINS);
}

/** Sorts the items [from, to), whose keys differ in their last `bits` bits at most. The keys stay. */
export function sortByLastBits(from: usize, to: usize, room: usize, bits: u32): void {
  sortByBits(from, to, room, bits, BINS);
}

/** Moves the bits of `mask` to the end of each key, in their order, and clears the others. */
function packKeys(from: usize, to: usize, mask: u64): void {
  let kept = mask;
  let zeros = ~mask << 1;
  for (let i = 0; i < STEPS; i++) {
    // Whether the number of cleared bits below each bit is odd.
    let odd = zeros ^ (zeros << 1);
    odd ^= odd << 2;
    odd ^= odd << 4;
    odd ^= odd << 8;
    odd ^= odd << 16;
    odd ^= odd << 32;
    const moved = odd & kept;
    store<u64>(moves + (i << 3), moved);
    kept = (kept ^ moved) | (moved >> (<u64>1 << i));
    zeros &= ~odd;
  }
  const one = load<u64>(moves);
  const two = load<u64>(moves, 8);
  const four = load<u64>(moves, 16);
  const eight = load<u64>(moves, 24);
  const sixteen = load<u64>(moves, 32);
  const half = load<u64>(moves, 40);
  for (let item = from; item < to; item += ITEM) {
    let key = keyOf(item) & mask;
    key = pack(key, one, 1);
    key = pack(key, two, 2);
    key = pack(key, four, 4);
    key = pack(key, eight, 8);
    key = pack(key, sixteen, 16);
    setKey(item, pack(key, half, 32));
  }
}

// @ts-ignore: decorator
@inline
function pack(key: u64, moved: u64, places: u64): u64 {
  const bits = key & moved;
  return (key ^ bits) | (bits >> places);
}

/** Sorts the items by the last `bits` bits of their keys; the others are equal. `bins`: free memory for counters. */
function sortByBits(from: usize, to: usize, room: usize, bits: u32, bins: usize): void {
  if (to - from <= FEW << ITEM_SHIFT) {
    sortFew(from, to, room);
    return;
  }
  const isNarrow = to - from <= NARROW_MOST << ITEM_SHIFT;
  if (!isNarrow && to - from <= CACHED_MOST << ITEM_SHIFT && bits <= CACHED_PASSES * CACHED_BITS) {
    sortCached(from, to, room, bits, bins);
    return;
  }
  const width = isNarrow ? NARROW_BITS : WIDE_BITS;
  let values: usize;
  do {
    if (bits == 0) return;
    const digit = min(bits, width);
    bits -= digit;
    values = <usize>1 << digit;
  } while (!countDigit(from, to, bits, values, bins));
  const binsEnd = bins + (values << 2);
  placeBins(from + room, bins, binsEnd);
  scatter(from, to, bits, values, bins);
  memory.copy(from, from + room, to - from);
  if (bits == 0) return;
  // Each bin now holds where its items end.
  let begin = from;
  for (let bin = bins; bin < binsEnd; bin += 4) {
    const end = <usize>load<u32>(bin) - room;
    if (end - begin > ITEM) sortByBits(begin, end, room, bits, binsEnd);
    begin = end;
  }
}

/** Sorts the items by the last `bits` bits of their keys, from the least significant digit on. */
function sortCached(from: usize, to: usize, room: usize, bits: u32, bins: usize): void {
  const bytes = to - from;
  let source = from;
  let target = from + room;
  for (let shift: u32 = 0; shift < bits; shift += CACHED_BITS) {
    const values = <usize>1 << min(bits - shift, CACHED_BITS);
    if (!countDigit(source, source + bytes, shift, values, bins)) continue;
    placeBins(target, bins, bins + (values << 2));
    scatter(source, source + bytes, shift, values, bins);
    const scattered = target;
    target = source;
    source = scattered;
  }
  if (source != from) memory.copy(from, source, bytes);
}

/**
 * Counts for each item the items before it in the order. Quadratic, for few items; no branch depends on a key, so none
 * is mispredicted.
 */
function sortFew(from: usize, to: usize, room: usize): void {
  const place = from + room;
  for (let item = from; item < to; item += ITEM) {
    const key = keyOf(item);
    let before: usize = 0;
    for (let other = from; other < item; other += ITEM) before += usize(keyOf(other) <= key);
    for (let other = item + ITEM; other < to; other += ITEM) before += usize(keyOf(other) < key);
    moveItem(item, place + (before << ITEM_SHIFT));
  }
  for (let item = from; item < to; item += ITEM) moveItem(item + room, item);
}

// @ts-ignore: decorator
@inline
function binOf(item: usize, shift: u32, values: usize, bins: usize): usize {
  return bins + ((<usize>(keyOf(item) >> shift) & (values - 1)) << 2);
}

/** Counts the `values` values of the digit that begins at bit `shift`; false if there is only one. */
function countDigit(from: usize, to: usize, shift: u32, values: usize, bins: usize): bool {
  memory.fill(bins, 0, values << 2);
  for (let item = from; item < to; item += ITEM) {
    const bin = binOf(item, shift, values, bins);
    store<u32>(bin, load<u32>(bin) + 1);
  }
  return <usize>load<u32>(binOf(from, shift, values, bins)) << ITEM_SHIFT != to - from;
}

/** Replaces counts by the addresses of each bin's first item. */
function placeBins(to: usize, bins: usize, binsEnd: usize): void {
  let place = <u32>to;
  for (let bin = bins; bin < binsEnd; bin += 4) {
    const count = load<u32>(bin);
    store<u32>(bin, place);
    place += count << <u32>ITEM_SHIFT;
  }
}

function scatter(from: usize, to: usize, shift: u32, values: usize, bins: usize): void {
  for (let item = from; item < to; item += ITEM) {
    const bin = binOf(item, shift, values, bins);
    const place = load<u32>(bin);
    store<u32>(bin, place + <u32>ITEM);
    moveItem(item, place);
  }
}
