/**
 * Records in random order: writes a place before each line, which decides the order, and drops or reads it again. A
 * place is a number of 64 bits that is a keyed permutation of the record's number in the input, so no two are equal: a
 * Feistel network of 32-bit halves, whose round function is the finalizer of MurmurHash3 (Appleby, public domain).
 *
 *     setShuffleSeed -> addPlaces, dropPlaces, numberAt
 */
import { delimiter } from '../../shared/digits';
import { lineEnd } from '../../shared/lines';
import { copyRecord } from '../../shared/text';

/** Bytes of a place: seven bits each, with the top bit set, so none of them ends a record. */
const PLACE_BYTES: u32 = 10;
const BITS: u64 = 7;
/** Each of the four words of the seed is used twice. */
const ROUNDS: u32 = 8;
/** Makes the keys of rounds different: 2^32 divided by the golden ratio. */
const STEP: u32 = 0x9e3779b9;

const keys = memory.data(ROUNDS * 4);
/** The number of the next record. */
let number: u64 = 0;

/** `seed`: the address of 16 bytes. */
export function setShuffleSeed(seed: u32): void {
  for (let round: u32 = 0; round < ROUNDS; round++)
    store<u32>(keys + round * 4, load<u32>(seed + (round % 4) * 4) + round * STEP);
}

export function setRecordNumber(newNumber: u64): void { number = newNumber; }
export function recordNumber(): u64 { return number; }

/**
 * Writes the text [at, end) to `to`, with a place before each line that begins there; returns the end. There must be a
 * delimiter at `end`, which is not part of the text. `isOpen`: whether the text begins inside a line.
 */
export function addPlaces(at: u32, end: u32, to: u32, isOpen: bool): u32 {
  while (at < end) {
    if (!isOpen) to = putPlace(permuted(number++), to);
    isOpen = false;
    const next = min(lineEnd(at, delimiter), end);
    copyRecord(at, next, to);
    to += next - at;
    at = next;
  }
  return to;
}

/**
 * Moves the text [at, end) to its beginning without the places of its lines; returns the end. There must be a delimiter
 * at `end`. `left`: how many bytes of a place the text begins with; `placeLeft` then says it for the text that follows.
 */
export function dropPlaces(at: u32, end: u32, left: u32): u32 {
  let to = at;
  while (at < end) {
    const skipped = min(left, end - at);
    at += skipped;
    left -= skipped;
    if (at == end) break;
    const next = min(lineEnd(at, delimiter), end);
    memory.copy(to, at, next - at);
    to += next - at;
    at = next;
    if (load<u8>(next - 1) == delimiter) left = PLACE_BYTES;
  }
  openPlace = left;
  return to;
}

let openPlace: u32 = 0;
export function placeLeft(): u32 { return openPlace; }

/** The number of the record whose place is at `at`. */
export function numberAt(at: u32): u64 {
  let place: u64 = 0;
  for (let i: u32 = 0; i < PLACE_BYTES; i++) place = (place << BITS) | (load<u8>(at + i) & 0x7f);
  let left = <u32>(place >> 32);
  let right = <u32>place;
  for (let round = ROUNDS; round > 0; round--) {
    const before = left;
    left = right ^ mixed(left + load<u32>(keys + (round - 1) * 4));
    right = before;
  }
  return (<u64>left << 32) | right;
}

function permuted(value: u64): u64 {
  let left = <u32>(value >> 32);
  let right = <u32>value;
  for (let round: u32 = 0; round < ROUNDS; round++) {
    const before = right;
    right = left ^ mixed(right + load<u32>(keys + round * 4));
    left = before;
  }
  return (<u64>left << 32) | right;
}

// @ts-ignore: decorator
@inline
function mixed(word: u32): u32 {
  word = (word ^ (word >> 16)) * 0x85ebca6b;
  word = (word ^ (word >> 13)) * 0xc2b2ae35;
  return word ^ (word >> 16);
}

function putPlace(place: u64, to: u32): u32 {
  for (let i: u32 = 0; i < PLACE_BYTES; i++)
    store<u8>(to + i, 0x80 | <u8>(place >> (BITS * <u64>(PLACE_BYTES - 1 - i))));
  return to + PLACE_BYTES;
}
