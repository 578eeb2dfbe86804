/**
 * Repeated records: one item of each distinct record is ordered, and the record is then written as many times as it
 * occurred. Knows text and items, but no order.
 *
 * A hash table with open addressing and linear probing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
 * A record of 9 bytes costs about 15 ns here and is not read again; ordering and merging it would cost 60.
 */
import { beginOf, endOf, ITEM, ITEM_SHIFT, isDropped, setRecord } from './item';
import { append } from './output';
import { size, unique } from './shape';
import { sharedBytes } from '../shared/text';
import { recordEnd, recordFrom } from './tokenize';

/**
 * An entry of the table: beginning and end of the first record of its kind (end 0: a free entry), and the count; 4
 * bytes each, and 4 spare.
 */
const ENTRY_SHIFT: usize = 4;
/** 2^64 divided by the golden ratio: multiplying by it mixes bits (Knuth, section 6.4). */
const MULTIPLIER: u64 = 0x9e3779b97f4a7c15;

let table: usize = 0;
let mask: u32 = 0;
let items: usize = 0;
let distinct: u32 = 0;

/** Begins an empty table of `entries` entries, a power of two, 16 bytes each; there is room for half as many items. */
export function openRepeats(newTable: usize, entries: u32, newItems: usize): void {
  table = newTable;
  mask = entries - 1;
  items = newItems;
  distinct = 0;
  memory.fill(table, 0, <usize>entries << ENTRY_SHIFT);
}

/** The number of distinct records, which is the number of items. */
export function distinctRecords(): u32 { return distinct; }

/** Counts `most` of the records in [from, to), evenly spaced. */
export function countSome(from: u32, to: u32, most: u32): void {
  const step = (to - from) / most;
  for (let i: u32 = 0, at = from; i < most && !isFull(); i++, at += step) {
    const begin = recordFrom(from, at);
    if (begin < to) count(begin, recordEnd(begin));
  }
}

/**
 * Counts the records in [from, to), at most `most`, until half of the table is full. Returns where the next one begins.
 */
export function countRecords(from: u32, to: u32, most: u32): f64 {
  let begin = from;
  for (; begin < to && most > 0 && !isFull(); most--) {
    const end = recordEnd(begin);
    count(begin, end);
    begin = end;
  }
  return <f64>begin;
}

/** Copies the items to where they are to be ordered. */
export function moveDistinct(target: usize): void {
  memory.copy(target, items, <usize>distinct << ITEM_SHIFT);
  items = target;
}

/** Appends the records of `most` items from number `from`, each as often as it occurred, or once under `unique`. */
export function gatherRepeats(from: u32, most: u32): void {
  const end = items + (<usize>(from + most) << ITEM_SHIFT);
  for (let item = items + (<usize>from << ITEM_SHIFT); item < end; item += ITEM) {
    if (isDropped(item)) continue;
    const begin = beginOf(item);
    const stop = endOf(item);
    for (let left: u32 = unique ? 1 : load<u32>(find(begin, stop), 8); left > 0; left--) append(begin, stop);
  }
}

function isFull(): bool { return distinct > mask >> 1; }

/** Counts the record [begin, end). */
// @ts-ignore: decorator
@inline
function count(begin: u32, end: u32): void {
  const entry = find(begin, end);
  store<u32>(entry, load<u32>(entry, 8) + 1, 8);
  if (load<u32>(entry, 4) != 0) return;
  store<u32>(entry, begin);
  store<u32>(entry, end, 4);
  setRecord(items + (<usize>distinct << ITEM_SHIFT), begin, end);
  distinct++;
}

/** The entry of the record [begin, end), or the free entry where it belongs. */
// @ts-ignore: decorator
@inline
function find(begin: u32, end: u32): usize {
  const bytes = end - begin;
  let slot = hashOf(begin, bytes) & mask;
  let entry = table + (<usize>slot << ENTRY_SHIFT);
  while (!isPlaceOf(entry, begin, bytes)) {
    slot = (slot + 1) & mask;
    entry = table + (<usize>slot << ENTRY_SHIFT);
  }
  return entry;
}

// @ts-ignore: decorator
@inline
function isPlaceOf(entry: usize, begin: u32, bytes: u32): bool {
  const otherEnd = load<u32>(entry, 4);
  const other = load<u32>(entry);
  return otherEnd == 0 || (otherEnd - other == bytes && sharedBytes(begin, other, bytes) == bytes);
}

/** A hash of the bytes [at, at + bytes), at least one. Up to 16 bytes take no branch that depends on their number. */
// @ts-ignore: decorator
@inline
function hashOf(at: usize, bytes: u32): u32 {
  let hash: u64 = bytes;
  let left = bytes;
  for (; left > 16; left -= 8, at += 8) hash = mix(hash ^ load<u64>(at));
  const low = load<u64>(at) & (u64.MAX_VALUE >> <u64>(64 - 8 * min(left, 8)));
  const high = select<u64>(load<u64>(at, 8) & (u64.MAX_VALUE >> <u64>(128 - 8 * left)), 0, left > 8);
  return <u32>mix(mix(hash ^ low) ^ high);
}

// @ts-ignore: decorator
@inline
function mix(value: u64): u64 {
  value *= MULTIPLIER;
  return value ^ (value >> 32);
}
