/**
 * Repeated records: one item of each distinct record is ordered, and the record is then written as many times as it
 * occurred. Knows text and items, but no order.
 *
 * A hash table with open addressing and linear probing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
 * A record of 9 bytes costs about 15 ns here and is not read again; ordering and merging it would cost 60.
 */
import { beginOf, endOf, ITEM, ITEM_SHIFT, isDropped, setRecord } from './item';
import { append, appendText, outputEnd } from './output';
import { size, unique } from './shape';
import { copyRecord, sharedBytes } from '../shared/text';
import { recordEnd, recordFrom } from './tokenize';

/**
 * An entry of the table: beginning and end of the first record of its kind (end 0: a free entry), 4 bytes each, and the
 * count, 8 bytes.
 */
const ENTRY_SHIFT: usize = 4;
/** 2^64 divided by the golden ratio: multiplying by it mixes bits (Knuth, section 6.4). */
const MULTIPLIER: u64 = 0x9e3779b97f4a7c15;
/** Further copies of a record are made from those before, if there are at least this many. */
const FEW_COPIES: u64 = 4;

/** A record further from its place than this counts as finding no room: longer searches would be slow. */
const MOST_PROBES: u32 = 256;

/** Records whose places in the table are looked up together, and for each the end and the number of its first entry. */
const BATCH: u32 = 32;
const PLACE_SHIFT: usize = 3;
/** The two numbers of a part. */
const PART_SHIFT: usize = 3;
const places = memory.data(<i32>BATCH << 3);
/** What hashes begin with: random, so that no text can be made of which all hashes are equal. */
let seed: u64 = 0;
/** The sum of what was read early: it has no meaning, but without it a compiler might leave out the reads. */
let touched: u32 = 0;

let table: usize = 0;
let mask: u32 = 0;
/** The entries that `find` last looked at and left. */
let probes: u32 = 0;
let distinct: u32 = 0;
/** Where items of distinct records are made; 0: the records are copied instead. */
let items: usize = 0;
/** The copies of distinct records, which end at `heapEnd`, and how far they may go. */
let heapBegin: usize = 0;
let heapEnd: usize = 0;
let heapMost: usize = 0;
/** How often each of the next records occurred; 0: once. */
let added: usize = 0;
/** The number of counts that the last call of takeCounts has written. */
let taken: u32 = 0;
/** How often the first record of repeatRecords is still to be written; 0: it is not yet known. */
let left: u64 = 0;

/** Sets the 64 bits that hashes begin with. */
export function setSeed(low: u32, high: u32): void { seed = <u64>high << 32 | low; }

/** Begins an empty table of `entries` entries, a power of two, 16 bytes each; there is room for half as many items. */
export function openRepeats(newTable: usize, entries: u32, newItems: usize): void {
  items = newItems;
  added = 0;
  clear(newTable, entries);
}

/** The same, but copies distinct records to [newHeap, newHeap + bytes): their text need not stay. */
export function openCopies(newTable: usize, entries: u32, newHeap: usize, bytes: usize): void {
  items = 0;
  heapBegin = heapEnd = newHeap;
  heapMost = newHeap + bytes;
  added = 0;
  left = 0;
  clear(newTable, entries);
}

function clear(newTable: usize, entries: u32): void {
  table = newTable;
  mask = entries - 1;
  distinct = 0;
  memory.fill(table, 0, <usize>entries << ENTRY_SHIFT);
}

/** Moves the entries to a larger table, elsewhere. */
export function growTable(newTable: usize, entries: u32): void {
  const end = table + ((<usize>mask + 1) << ENTRY_SHIFT);
  const before = distinct;
  let entry = table;
  clear(newTable, entries);
  distinct = before;
  for (; entry < end; entry += 1 << ENTRY_SHIFT) {
    const stop = load<u32>(entry, 4);
    if (stop != 0) v128.store(find(load<u32>(entry), stop), v128.load(entry));
  }
}

/** The number of distinct records, which is that of items or copies. */
export function distinctRecords(): u32 { return distinct; }

/** Where the copies of distinct records end. They are in the order of their first occurrences. */
export function copiesEnd(): f64 { return <f64>heapEnd; }

/** Counts `most` of the records in [from, to), evenly spaced. */
export function countSome(from: u32, to: u32, most: u32): void {
  const step = (to - from) / most;
  for (let i: u32 = 0, at = from; i < most; i++, at += step) {
    const begin = recordFrom(from, at);
    if (begin < to && !count(begin, recordEnd(begin), 1)) return;
  }
}

/**
 * Counts the records in [from, to), at most `most`, until one of them finds no room, for example because half of the
 * table is full. Returns where that one begins, or the next one.
 */
export function countRecords(from: u32, to: u32, most: u32): f64 {
  let begin = from;
  while (begin < to && most > 0) {
    const batch = lookUp(begin, to, min(most, BATCH));
    for (let i: u32 = 0; i < batch; i++) {
      const place = places + (<usize>i << PLACE_SHIFT);
      const end = load<u32>(place);
      if (!countAt(load<u32>(place, 4), begin, end, added == 0 ? 1 : load<u64>(added))) return <f64>begin;
      if (added != 0) added += 8;
      begin = end;
    }
    most -= batch;
  }
  return <f64>begin;
}

/**
 * Finds the ends of the next `most` records of [from, to) and where the table may have them, and reads from there: the
 * processor waits for all of a batch at once. Returns their number.
 */
function lookUp(from: u32, to: u32, most: u32): u32 {
  let batch: u32 = 0;
  for (let begin = from; begin < to && batch < most; batch++) {
    const end = recordEnd(begin);
    const place = places + (<usize>batch << PLACE_SHIFT);
    store<u32>(place, end);
    store<u32>(place, hashOf(begin, end - begin) & mask, 4);
    begin = end;
  }
  for (let place = places, stop = places + (<usize>batch << PLACE_SHIFT); place < stop; place += 1 << PLACE_SHIFT)
    touched += load<u8>(load<u32>(table + (<usize>load<u32>(place, 4) << ENTRY_SHIFT)));
  return batch;
}

/** From now on, each record that is counted or repeated occurred as often as the next 8 bytes say; 0: once. */
export function openAdded(counts: usize): void { added = counts; }

/**
 * Writes to `target` how often each of the records in [from, to), at most `most`, occurred: once if it was not counted.
 * From then on, they count as having occurred once. Returns where the next record begins.
 */
export function takeCounts(from: u32, to: u32, most: u32, target: usize): f64 {
  let begin = from;
  taken = 0;
  while (begin < to && most > 0) {
    const batch = lookUp(begin, to, min(most, BATCH));
    for (let i: u32 = 0; i < batch; i++, target += 8) {
      const place = places + (<usize>i << PLACE_SHIFT);
      const end = load<u32>(place);
      store<u64>(target, takeCount(findFrom(load<u32>(place, 4), begin, end)));
      begin = end;
    }
    most -= batch;
    taken += batch;
  }
  return <f64>begin;
}

/**
 * Divides the records in [from, to), at most `most`, into parts by the high bits of their hashes: tables with one seed
 * divide them alike. Adds the bytes of each to the first of its part's two numbers at `parts`, of 4 bytes, and 1 to the
 * second. `shift`: 32 without the binary logarithm of the number of parts. Returns where the next record begins.
 */
export function measureParts(from: u32, to: u32, most: u32, parts: usize, shift: u32): f64 {
  let begin = from;
  for (; begin < to && most > 0; most--) {
    const end = recordEnd(begin);
    const part = partOf(hashOf(begin, end - begin), parts, shift);
    store<u32>(part, load<u32>(part) + end - begin);
    store<u32>(part, load<u32>(part, 4) + 1, 4);
    begin = end;
  }
  return <f64>begin;
}

/**
 * Copies the same records to where their parts say, and the counts of them at `counts`: the two numbers of a part are
 * the addresses of its next record and its next count.
 */
export function moveToParts(from: u32, to: u32, most: u32, parts: usize, shift: u32, counts: usize): f64 {
  let begin = from;
  for (; begin < to && most > 0; most--, counts += 8) {
    const end = recordEnd(begin);
    const part = partOf(hashOf(begin, end - begin), parts, shift);
    const target = load<u32>(part);
    const count = load<u32>(part, 4);
    copyRecord(begin, end, target);
    store<u64>(count, load<u64>(counts));
    store<u32>(part, target + end - begin);
    store<u32>(part, count + 8, 4);
    begin = end;
  }
  return <f64>begin;
}

// @ts-ignore: decorator
@inline
function partOf(hash: u32, parts: usize, shift: u32): usize {
  return parts + (<usize>(<u64>hash >> <u64>shift) << PART_SHIFT);
}

/** The number of counts that the last call of takeCounts has written. */
export function countsTaken(): u32 { return taken; }

/** How often the record of an entry occurred, at the first call; later calls return 1, as for a free entry. */
function takeCount(entry: usize): u64 {
  if (load<u32>(entry, 4) == 0) return 1;
  const count = load<u64>(entry, 8);
  store<u64>(entry, 1, 8);
  return count;
}

/**
 * Appends the records in [from, to), each as often as it occurred, while they end at `room` or before: as often as
 * openAdded says, or as takeCounts would say. Returns where the first record begins of which copies are missing: the
 * next call begins there.
 */
export function repeatRecords(from: u32, to: u32, room: usize): f64 {
  let begin = from;
  while (begin < to) {
    const end = recordEnd(begin);
    if (left == 0) left = added == 0 ? takeCount(find(begin, end)) : takeAdded();
    const copies = min(left, <u64>((room - <usize>outputEnd()) / <usize>(end - begin)));
    appendCopies(begin, end, copies);
    left -= copies;
    if (left > 0) break;
    begin = end;
  }
  return <f64>begin;
}

function takeAdded(): u64 {
  const count = load<u64>(added);
  added += 8;
  return count;
}

/** Appends the record [begin, end) `copies` times. */
function appendCopies(begin: u32, end: u32, copies: u64): void {
  const first = <u32>outputEnd();
  const bytes = end - begin;
  let done = min(copies, FEW_COPIES);
  for (let i: u64 = 0; i < done; i++) append(begin, end);
  for (; done < copies; ) {
    const more = <u32>min(done, copies - done);
    appendText(first, first + more * bytes, more);
    done += more;
  }
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
    for (let more: u64 = unique ? 1 : load<u64>(find(begin, stop), 8); more > 0; more--) append(begin, stop);
  }
}

/** Counts the record [begin, end) `times` times. Returns false if it is a new one, for which there is no room. */
function count(begin: u32, end: u32, times: u64): bool {
  return countAt(hashOf(begin, end - begin) & mask, begin, end, times);
}

/** The same for a record whose hash says entry `slot`. */
// @ts-ignore: decorator
@inline
function countAt(slot: u32, begin: u32, end: u32, times: u64): bool {
  const entry = findFrom(slot, begin, end);
  if (load<u32>(entry, 4) == 0) {
    if (distinct > mask >> 1 || (probes > MOST_PROBES && added == 0)) return false;
    if (items != 0) setRecord(items + (<usize>distinct << ITEM_SHIFT), begin, end);
    else {
      if (heapEnd + (end - begin) > heapMost) return false;
      copyRecord(begin, end, heapEnd);
      const copy = <u32>heapEnd;
      heapEnd += end - begin;
      begin = copy;
      end = <u32>heapEnd;
    }
    store<u32>(entry, begin);
    store<u32>(entry, end, 4);
    distinct++;
  }
  store<u64>(entry, load<u64>(entry, 8) + times, 8);
  return true;
}

/** The entry of the record [begin, end), or the free entry where it belongs. */
function find(begin: u32, end: u32): usize {
  return findFrom(hashOf(begin, end - begin) & mask, begin, end);
}

/** The same for a record whose hash says entry `slot`. */
// @ts-ignore: decorator
@inline
function findFrom(slot: u32, begin: u32, end: u32): usize {
  const bytes = end - begin;
  let entry = table + (<usize>slot << ENTRY_SHIFT);
  let passed: u32 = 0;
  for (; !isPlaceOf(entry, begin, bytes); passed++) {
    slot = (slot + 1) & mask;
    entry = table + (<usize>slot << ENTRY_SHIFT);
  }
  probes = passed;
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
  let hash: u64 = seed ^ bytes;
  let other: u64 = 0;
  let left = bytes;
  for (; left > 16; left -= 16, at += 16) {
    hash = mix(hash ^ load<u64>(at));
    other = mix(other ^ load<u64>(at, 8));
  }
  hash ^= rotl(other, 17);
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
