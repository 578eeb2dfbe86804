/**
 * Items (../shared/item.ts) are sorted by LSD radix sort, which is stable (Knuth, The Art of Computer Programming,
 * volume 3, section 5.2.5).
 */
import { ADDRESS_AT, ITEM_BYTES, LENGTH_AT } from '../shared/item';

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
/** The number of items with each digit; then where the next one goes. */
const PLACES: usize = memory.data(2048 * 4, 16);

// @ts-ignore: decorator
@inline
export function putItem(item: usize, key: u64, at: usize, bytes: u32): void {
  store<u64>(item, key);
  store<u32>(item, <u32>at, ADDRESS_AT);
  store<u32>(item, bytes, LENGTH_AT);
}

/**
 * Sorts `count` items by their keys; there is room for as many at `room`. Returns where they are: there or where they
 * were. Only bits in which keys differ are looked at.
 */
export function sortItems(items: usize, count: u32, room: usize): usize {
  const end = items + (<usize>count) * ITEM_BYTES;
  const bytes = end - items;
  let differing: u64 = 0;
  for (let item = items; item < end; item += ITEM_BYTES) differing |= load<u64>(item) ^ load<u64>(items);
  while (differing != 0) {
    const shift = ctz(differing);
    differing &= ~(<u64>(DIGITS - 1) << shift);
    move(items, items + bytes, shift, room);
    const other = items;
    items = room;
    room = other;
  }
  return items;
}

/** Moves the items in [from, end) to `to`, ordered by the digit from bit `shift` of their keys on. */
function move(from: usize, end: usize, shift: u64, to: usize): void {
  memory.fill(PLACES, 0, DIGITS << 2);
  for (let item = from; item < end; item += ITEM_BYTES) {
    const place = placeOf(item, shift);
    store<u32>(place, load<u32>(place) + 1);
  }
  let next = <u32>to;
  for (let place = PLACES; place < PLACES + (DIGITS << 2); place += 4) {
    const items = load<u32>(place);
    store<u32>(place, next);
    next += items * <u32>ITEM_BYTES;
  }
  for (let item = from; item < end; item += ITEM_BYTES) {
    const place = placeOf(item, shift);
    const target = load<u32>(place);
    store<u32>(place, target + <u32>ITEM_BYTES);
    v128.store(target, v128.load(item));
  }
}

// @ts-ignore: decorator
@inline
function placeOf(item: usize, shift: u64): usize {
  return PLACES + (<usize>((load<u64>(item) >> shift) & (DIGITS - 1)) << 2);
}

/**
 * Copies the records of `count` items to `to`, which must be writable for 16 bytes beyond them; returns their end.
 * `hasRows`: the items point to entries.
 */
export function gather(items: usize, count: u32, to: usize, hasRows: bool): usize {
  const end = items + (<usize>count) * ITEM_BYTES;
  for (let item = items; item < end; item += ITEM_BYTES) {
    let from = <usize>load<u32>(item, ADDRESS_AT);
    if (hasRows) from = <usize>load<u32>(from);
    const bytes = <usize>load<u32>(item, LENGTH_AT);
    const next = to + bytes;
    for (; to < next; to += 16, from += 16) v128.store(to, v128.load(from));
    to = next;
  }
  return to;
}

/** Writes the keys of `count` items, as numbers of 8 bytes, and where their records end when these are gathered. */
export function writeIndex(items: usize, count: u32, keys: usize, ends: usize): void {
  let bytes: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    const item = items + i * ITEM_BYTES;
    bytes += load<u32>(item, LENGTH_AT);
    store<f64>(keys + (i << 3), <f64>load<u64>(item));
    store<u32>(ends + (i << 2), bytes);
  }
}
