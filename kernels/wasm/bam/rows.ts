/**
 * Sorts items by the rows in their entries (../shared/item.ts), which `makeEntries` in ../keys/index.ts makes. Keys are
 * prefix-free, so rows compare byte by byte up to a difference.
 */
import { ADDRESS_AT, BYTES_AT, entryAfter, ITEM_BYTES, LENGTH_AT, ROW_AT } from '../shared/item';
import { sortItems } from './items';

/** Up to this many items are sorted by comparisons: a radix pass has a fixed cost, however few the items. */
const FEW: u32 = 512;
/** Blocks of this many items are sorted by insertion before they are merged. */
const BLOCK: u32 = 12;

/** Whether the rows of `count` items, which point to entries, are in order. */
export function rowsInOrder(items: usize, count: u32): bool {
  for (let i: usize = 1; i < count; i++) {
    const item = items + i * ITEM_BYTES;
    if (compare(entryOf(item - ITEM_BYTES), entryOf(item), ROW_AT) > 0) return false;
  }
  return true;
}

/** Has `count` items, which point to records, point to the entries at `rows` that were made of these before. */
export function takeRows(items: usize, count: u32, rows: usize): void {
  for (let item = items; item < items + (<usize>count) * ITEM_BYTES; item += ITEM_BYTES) {
    store<u32>(rows, load<u32>(item, ADDRESS_AT));
    store<u32>(item, <u32>rows, ADDRESS_AT);
    rows = nextEntry(rows);
  }
}

// @ts-ignore: decorator
@inline
function nextEntry(entry: usize): usize { return entryAfter(entry + <usize>load<u32>(entry, BYTES_AT)); }

// @ts-ignore: decorator
@inline
function entryOf(item: usize): usize { return <usize>load<u32>(item, ADDRESS_AT); }

/** The 8 bytes of an entry from `at` on, zeros beyond its end, as a number in the order of rows. */
// @ts-ignore: decorator
@inline
function word(entry: usize, at: u32): u64 {
  const bytes = bswap(load<u64>(entry + at));
  const end = load<u32>(entry, BYTES_AT);
  const beyond: u64 = at + 8 > end ? ((<u64>(at + 8 - end)) << 3) : 0;
  return (bytes >> beyond) << beyond;
}

/** Compares two rows, which are equal before byte `at` of their entries. Negative: `a` is first; 0: they are equal. */
function compare(a: usize, b: usize, at: u32): i32 {
  const end = load<u32>(a, BYTES_AT);
  for (; at < end; at += 8) {
    const x = word(a, at);
    const y = word(b, at);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/** Sorts `count` items by their rows, equal ones in their order; there is room for as many at `room`. */
export function sortRows(items: usize, count: u32, room: usize): void { sortFrom(items, count, room, ROW_AT); }

/** The same of items whose rows are equal before byte `at` of their entries. */
function sortFrom(items: usize, count: u32, room: usize, at: u32): void {
  if (count <= FEW) {
    mergeSort(items, count, room, at);
    return;
  }
  at = differingFrom(items, count, at);
  const end = items + (<usize>count) * ITEM_BYTES;
  const rowEnd = load<u32>(entryOf(items), BYTES_AT);
  if (at >= rowEnd) return;
  for (let item = items; item < end; item += ITEM_BYTES) store<u64>(item, word(entryOf(item), at));
  const sorted = sortItems(items, count, room);
  if (sorted != items) memory.copy(items, sorted, end - items);
  at += 8;
  for (let first = items; first < end; ) {
    let next = first + ITEM_BYTES;
    while (next < end && load<u64>(next) == load<u64>(first)) next += ITEM_BYTES;
    const equal = <u32>((next - first) / ITEM_BYTES);
    if (equal > 1 && at < load<u32>(entryOf(first), BYTES_AT)) sortFrom(first, equal, room, at);
    first = next;
  }
}

/** The byte of the entries, from `at` on, before which the rows of all items are equal. */
function differingFrom(items: usize, count: u32, at: u32): u32 {
  const first = entryOf(items);
  let end = load<u32>(first, BYTES_AT);
  for (let item = items + ITEM_BYTES; item < items + (<usize>count) * ITEM_BYTES && end > at; item += ITEM_BYTES) {
    const entry = entryOf(item);
    let same = at;
    while (same < end) {
      const difference = load<u64>(first + same) ^ load<u64>(entry + same);
      if (difference != 0) {
        end = min(end, same + (<u32>ctz(difference) >> 3));
        break;
      }
      same += 8;
    }
  }
  return end;
}

/** Merge sort from blocks on (Knuth, The Art of Computer Programming, volume 3, section 5.2.4). */
function mergeSort(items: usize, count: u32, room: usize, at: u32): void {
  for (let i: u32 = 0; i < count; i += BLOCK) insert(items + <usize>i * ITEM_BYTES, min(BLOCK, count - i), at);
  let from = items;
  let to = room;
  for (let run = BLOCK; run < count; run <<= 1) {
    for (let i: u32 = 0; i < count; i += run << 1) {
      const middle = min(i + run, count);
      const end = min(middle + run, count);
      merge(from + <usize>i * ITEM_BYTES, middle - i, end - middle, to + <usize>i * ITEM_BYTES, at);
    }
    const other = from;
    from = to;
    to = other;
  }
  if (from != items) memory.copy(items, from, (<usize>count) * ITEM_BYTES);
}

/** Merges `a` sorted items at `from` and the `b` ones after them to `to`. */
function merge(from: usize, a: u32, b: u32, to: usize, at: u32): void {
  const middle = from + (<usize>a) * ITEM_BYTES;
  const end = middle + (<usize>b) * ITEM_BYTES;
  let other = middle;
  while (from < middle && other < end) {
    const takesOther = compare(entryOf(from), entryOf(other), at) > 0;
    v128.store(to, v128.load(takesOther ? other : from));
    if (takesOther) other += ITEM_BYTES;
    else from += ITEM_BYTES;
    to += ITEM_BYTES;
  }
  memory.copy(to, from, middle - from);
  memory.copy(to + (middle - from), other, end - other);
}

function insert(items: usize, count: u32, at: u32): void {
  for (let i: usize = 1; i < count; i++) {
    let item = items + i * ITEM_BYTES;
    const moved = v128.load(item);
    const entry = entryOf(item);
    for (; item > items && compare(entryOf(item - ITEM_BYTES), entry, at) > 0; item -= ITEM_BYTES) {
      v128.store(item, v128.load(item - ITEM_BYTES));
    }
    v128.store(item, moved);
  }
}

/**
 * Writes at `at` where the records of `count` items end when these are gathered, where their entries end, and the
 * entries. Returns the end, which must be writable for 16 bytes beyond.
 */
export function writeRowIndex(items: usize, count: u32, at: usize): usize {
  const entries = at + ((<usize>count) << 3);
  let bytes: u32 = 0;
  let to = entries;
  for (let i: usize = 0; i < count; i++) {
    const item = items + i * ITEM_BYTES;
    const entry = entryOf(item);
    bytes += load<u32>(item, LENGTH_AT);
    store<u32>(at + (i << 2), bytes);
    let from = entry;
    const next = nextEntry(entry) - entry + to;
    for (; to < next; to += 16, from += 16) v128.store(to, v128.load(from));
    to = next;
    store<u32>(at + ((<usize>count + i) << 2), <u32>(to - entries));
  }
  return to;
}
