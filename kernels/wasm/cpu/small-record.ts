/**
 * Small records: of one size, at most 16 bytes. They are moved whole, instead of items that point to them, and compared
 * as numbers. Knows no order of many records.
 */
import { flip, size } from './shape';

/** 16 bytes each: which byte of a record goes where in its number, and the same for the key alone (setSmall). */
let orderPlaces: usize = 0;
let keyPlaces: usize = 0;
/** Room for a record. */
let spare: usize = 0;

/**
 * Sets where numbers of records come from: 32 bytes at `places`. Each of the first 16 is the place in the record of a
 * byte of its number, the least significant first; 255: a zero. The upper half is the less significant one. The other
 * 16 are the same for the number of the key alone. 16 spare bytes follow.
 */
export function setSmall(places: usize): void {
  orderPlaces = places;
  keyPlaces = places + 16;
  spare = places + 32;
}

/** All bytes that order a record, in two numbers: the first 8 bytes in lane 0, the next ones in lane 1. */
// @ts-ignore: decorator
@inline
function numbersAt(at: usize, places: usize): v128 {
  return v128.xor(i8x16.swizzle(v128.load(at), v128.load(places)), i64x2.splat(flip));
}

/** The first 8 bytes of a record's key as a number, padded with zeros; complemented if larger keys come first. */
// @ts-ignore: decorator
@inline
export function smallKey(at: usize): u64 { return v128.extract_lane<u64>(numbersAt(at, keyPlaces), 0); }

/** Moves a record. Writes nothing past its end. */
// @ts-ignore: decorator
@inline
export function moveSmall(from: usize, to: usize): void {
  if (size == 4) store<u32>(to, load<u32>(from));
  else if (size == 8) store<u64>(to, load<u64>(from));
  else if (size == 16) v128.store(to, v128.load(from));
  else if (size > 8) {
    const last = load<u64>(from + size - 8);
    store<u64>(to, load<u64>(from));
    store<u64>(to + size - 8, last);
  } else if (size > 4) {
    const last = load<u32>(from + size - 4);
    store<u32>(to, load<u32>(from));
    store<u32>(to + size - 4, last);
  } else {
    const last = load<u8>(from + size - 1);
    if (size > 1) store<u16>(to, load<u16>(from));
    store<u8>(to + size - 1, last);
  }
}

/** Whether the records in [from, to) are in order, each not less than the one before it; `strictly`: greater. */
export function smallInOrder(from: usize, to: usize, strictly: bool): bool {
  let before = numbersAt(from, orderPlaces);
  for (let at = from + size; at < to; at += size) {
    const next = numbersAt(at, orderPlaces);
    if (strictly ? !isGreater(next, before) : isGreater(before, next)) return false;
    before = next;
  }
  return true;
}

/** Whether the number `a` of a record is greater than `b`. */
// @ts-ignore: decorator
@inline
function isGreater(a: v128, b: v128): bool {
  const highA = v128.extract_lane<u64>(a, 0);
  const highB = v128.extract_lane<u64>(b, 0);
  return highA > highB
    || (highA == highB && v128.extract_lane<u64>(a, 1) > v128.extract_lane<u64>(b, 1));
}

/**
 * Insertion sort of the records in [from, to), after those in [begin, from), which are in order; stable. Stops if it
 * would move more than `most` records. Returns how many more it may move; -1: it stopped, and each record is still
 * there.
 */
export function insertSmall(begin: usize, from: usize, to: usize, most: i32): i32 {
  for (let at = max(from, begin + size); at < to; at += size) {
    const number = numbersAt(at, orderPlaces);
    if (!isGreater(numbersAt(at - size, orderPlaces), number)) continue;
    const record = v128.load(at);
    let place = at;
    do {
      if (--most < 0) break;
      moveSmall(place - size, place);
      place -= size;
    } while (place > begin && isGreater(numbersAt(place - size, orderPlaces), number));
    storeSmall(record, place);
    if (most < 0) return -1;
  }
  return most;
}

/** Stores the first bytes of a vector as a record. */
function storeSmall(record: v128, to: usize): void {
  v128.store(spare, record);
  moveSmall(spare, to);
}

/**
 * Moves those records of [from, to) that differ in order from the record at `last` (0: there is none) or from the one
 * before them to `place`, which is not after `from`. Returns where they end.
 */
export function dropSmallRepeats(last: usize, from: usize, to: usize, place: usize): f64 {
  for (; from < to; from += size) {
    if (last != 0 && !v128.any_true(v128.xor(numbersAt(from, orderPlaces), numbersAt(last, orderPlaces)))) continue;
    moveSmall(from, place);
    last = place;
    place += size;
  }
  return <f64>place;
}
