/**
 * LSD radix sort of small records by one byte of all records at a time, least significant first; stable. A byte that is
 * the same in all records costs no pass. Source: Knuth, The Art of Computer Programming, volume 3, section 5.2.5; all
 * counts in one pass: Friend, Sorting on Electronic Computer Systems, 1956.
 */
import { flip, size } from './shape';
import { moveSmall } from './small-record';

/** Counts of the values of a byte, 4 bytes each. */
const VALUES: u32 = 256;

/** A bit for each byte in which a record of [from, to) differs from the record at `model`; bit 0: its first byte. */
export function differingBytes(model: usize, from: usize, to: usize): u32 {
  const first = v128.load(model);
  let differing = i8x16.splat(0);
  for (let at = from; at < to; at += size) differing = v128.or(differing, v128.xor(v128.load(at), first));
  return ~i8x16.bitmask(i8x16.eq(differing, i8x16.splat(0))) & ((1 << size) - 1);
}

/** Adds the values of byte `place` of the records in [from, to) to the counts at `counts`. */
export function countByte(from: usize, to: usize, place: u32, counts: usize): void {
  for (let at = from + place; at < to; at += size) count(at, counts);
}

/** The same for four bytes, whose counts follow one another. */
export function countFourBytes(from: usize, to: usize, a: u32, b: u32, c: u32, d: u32, counts: usize): void {
  for (let at = from; at < to; at += size) {
    count(at + a, counts);
    count(at + b, counts + (VALUES << 2));
    count(at + c, counts + (VALUES << 3));
    count(at + d, counts + 3 * (VALUES << 2));
  }
}

// @ts-ignore: decorator
@inline
function count(at: usize, counts: usize): void {
  const counter = counts + (<usize>load<u8>(at) << 2);
  store<u32>(counter, load<u32>(counter) + 1);
}

/** Replaces counts by the places where the records with each value begin, one after the other from `place` on. */
export function placeValues(counts: usize, place: u32): void {
  for (let i: u32 = 0; i < VALUES; i++) {
    const counter = counts + (<usize>(flip == 0 ? i : VALUES - 1 - i) << 2);
    const records = load<u32>(counter);
    store<u32>(counter, place);
    place += records * size;
  }
}

/** Moves the records in [from, to) to the places for the values of byte `place`. */
export function moveByByte(from: usize, to: usize, place: u32, places: usize): void {
  if (size == 4) moveFour(from, to, place, places);
  else if (size == 8) moveEight(from, to, place, places);
  else for (let at = from; at < to; at += size) {
    const end = places + (<usize>load<u8>(at + place) << 2);
    const target = load<u32>(end);
    store<u32>(end, target + size);
    moveSmall(at, target);
  }
}

function moveFour(from: usize, to: usize, place: u32, places: usize): void {
  const shift = place << 3;
  for (let at = from; at < to; at += 4) {
    const record = load<u32>(at);
    const end = places + (<usize>((record >> shift) & 0xff) << 2);
    const target = load<u32>(end);
    store<u32>(end, target + 4);
    store<u32>(target, record);
  }
}

function moveEight(from: usize, to: usize, place: u32, places: usize): void {
  const shift = <u64>(place << 3);
  for (let at = from; at < to; at += 8) {
    const record = load<u64>(at);
    const end = places + (<usize>((record >> shift) & 0xff) << 2);
    const target = load<u32>(end);
    store<u32>(end, target + 8);
    store<u64>(target, record);
  }
}
