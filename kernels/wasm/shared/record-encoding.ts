/**
 * Encodes fixed records with typed keys, whose keys then compare as bytes, and decodes them
 * (src/keys/record-encoding.ts, which plans the steps). In place, one record after another. Knows no order.
 */

/**
 * A step in the table, 32 bytes: bytes, place in the encoded record, place of the first byte in the record (u32);
 * flags: 1 backwards, 2 has a sign (u32); what the bytes are XORed with: the first one in the highest byte, the others
 * below it (u64); the place of the sign (u32).
 */
const STEP_SHIFT: usize = 5;
const BACKWARDS: u32 = 1;
const HAS_SIGN: u32 = 2;

let table: usize = 0;
let steps: u32 = 0;
let size: u32 = 0;
/** The bytes of a record that steps read or write: [low, high). */
let low: u32 = 0;
let high: u32 = 0;
/** Memory for those bytes. */
let scratch: usize = 0;

/** Sets the encoding for the calls that follow. `newScratch` has room for [newLow, newHigh) and 16 bytes more. */
export function setEncoding(
  newTable: usize,
  newSteps: u32,
  newSize: u32,
  newLow: u32,
  newHigh: u32,
  newScratch: usize,
): void {
  table = newTable;
  steps = newSteps;
  size = newSize;
  low = newLow;
  high = newHigh;
  scratch = newScratch;
}

/**
 * For an encoding within 16 bytes of a record: five vectors for encoding, then as many for decoding; 0: there are none.
 * For each byte, they give the place that it comes from; the masks that it is XORed with before and after it moves; the
 * place of the sign of its number, 255 for none; and the mask if that is set.
 */
let shuffles: usize = 0;

/** Sets the vectors of the encoding that setEncoding has set. If records are smaller than 16 bytes, they repeat. */
export function setShuffles(newShuffles: usize): void { shuffles = newShuffles; }

/** Encodes the records in [from, to). */
export function encodeRecords(from: u32, to: u32): void {
  const read = scratch - low;
  for (let record = shuffles == 0 ? <usize>from : shuffleAll(from, to, shuffles); record < to; record += size) {
    memory.copy(scratch, record + low, high - low);
    for (let step = table; step < table + (<usize>steps << STEP_SHIFT); step += 1 << STEP_SHIFT) {
      const isNegative = hasSign(step) && load<u8>(read + load<u32>(step, 24)) >> 7 != 0;
      move(step, read + load<u32>(step, 8), isBackwards(step), record + load<u32>(step, 4), false, isNegative);
    }
  }
}

/** Undoes encodeRecords. */
export function decodeRecords(from: u32, to: u32): void {
  const read = scratch - low;
  let record = shuffles == 0 ? <usize>from : shuffleAll(from, to, shuffles + SHUFFLE_BYTES);
  for (; record < to; record += size) {
    memory.copy(scratch, record + low, high - low);
    for (let step = table; step < table + (<usize>steps << STEP_SHIFT); step += 1 << STEP_SHIFT) {
      const encoded = read + load<u32>(step, 4);
      const isNegative = isNegativeBefore(step, record, encoded);
      move(step, encoded, false, record + load<u32>(step, 8), isBackwards(step), isNegative);
    }
  }
}

/** Bytes of the vectors for one direction. */
const SHUFFLE_BYTES: usize = 80;

/**
 * Applies vectors to the records in [from, to), as long as 16 bytes are left. Records whose size divides 16 are encoded
 * 16 bytes at a time. Returns where the first record begins that is not yet encoded.
 */
function shuffleAll(from: usize, to: usize, vectors: usize): usize {
  const places = v128.load(vectors);
  const before = v128.load(vectors, 16);
  const after = v128.load(vectors, 32);
  const signs = v128.load(vectors, 48);
  const ifNegative = v128.load(vectors, 64);
  const together = 16 % size == 0;
  const step = together ? 16 : size;
  const offset = together ? 0 : low;
  if (from + offset + 16 > to) return from;
  // Each record is loaded before the previous one is stored, because a load that overlaps two stores waits.
  let next = v128.load(from + offset);
  for (; from + offset + 16 <= to; from += step) {
    const bytes = v128.xor(next, before);
    if (from + step + offset + 16 <= to) next = v128.load(from + step + offset);
    const negative = v128.and(i8x16.shr_s(i8x16.swizzle(bytes, signs), 7), ifNegative);
    v128.store(from + offset, v128.xor(v128.xor(i8x16.swizzle(bytes, places), after), negative));
  }
  return from;
}

function hasSign(step: usize): bool { return (load<u32>(step, 12) & HAS_SIGN) != 0; }

function isBackwards(step: usize): bool { return (load<u32>(step, 12) & BACKWARDS) != 0; }

/** Whether the number of an encoded step is negative. Its sign is in the step's first byte, or decoded already. */
function isNegativeBefore(step: usize, record: usize, encoded: usize): bool {
  if (!hasSign(step)) return false;
  const sign = load<u32>(step, 24);
  if (sign != load<u32>(step, 8)) return load<u8>(record + sign) >> 7 != 0;
  return (load<u8>(encoded) ^ <u8>(load<u64>(step, 16) >> 56)) >> 7 != 0;
}

/**
 * Moves a step's bytes from `from` on to `to` on, backwards if requested, and XORs them. Up to 8 bytes are a number
 * whose highest byte is the first one.
 */
// @ts-ignore: decorator
@inline
function move(step: usize, from: usize, fromEnd: bool, to: usize, toEnd: bool, isNegative: bool): void {
  const bytes = load<u32>(step);
  let inversion = load<u64>(step, 16);
  if (isNegative) inversion ^= load<u32>(step, 24) == load<u32>(step, 8) ? u64.MAX_VALUE >> 1 : u64.MAX_VALUE;
  if (bytes == 8) {
    const value = fromEnd ? load<u64>(from - 7) : bswap(load<u64>(from));
    store<u64>(toEnd ? to - 7 : to, toEnd ? value ^ inversion : bswap(value ^ inversion));
    return;
  }
  if (bytes == 4) {
    const value = fromEnd ? load<u32>(from - 3) : bswap(load<u32>(from));
    const inverted = value ^ <u32>(inversion >> 32);
    store<u32>(toEnd ? to - 3 : to, toEnd ? inverted : bswap(inverted));
    return;
  }
  if (inversion == 0 && !fromEnd && !toEnd) {
    memory.copy(to, from, bytes);
    return;
  }
  const first = <u8>(inversion >> 56);
  const rest = <u8>inversion;
  for (let i: usize = 0; i < bytes; i++)
    store<u8>(toEnd ? to - i : to + i, load<u8>(fromEnd ? from - i : from + i) ^ (i == 0 ? first : rest));
}
