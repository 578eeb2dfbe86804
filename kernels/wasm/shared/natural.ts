/**
 * `natural`: the order of read names in samtools 1.17 and later. Runs of decimal digits compare as numbers, ignoring
 * leading zeros; other bytes by value, even with the digits of a number; the end sorts first.
 *
 * The row is one digit for each byte outside numbers, and END last. A number is a digit for its count of decimals
 * without leading zeros, which sorts among the bytes where decimals do, then a digit for each two decimals. From MANY
 * decimals on, the count has digits of its own.
 */
import { LANES, put, putDigits, putFirst, putNumber } from './digits';

const ZERO: u8 = 48;
/** The first byte after the decimals. */
const COLON: u8 = 58;

/** Digits of rows: the end, bytes below the decimals plus 1, numbers by count, bytes above the decimals less 1. */
const END: u32 = 0;
const NUMBER: u32 = <u32>ZERO + 1;
const MANY: u32 = 7;
/** Counts from MANY + LONG take four more digits. */
const LONG: u32 = 254;

/** Writes the row of the name [at, end). */
export function putNatural(at: u32, end: u32): void {
  while (at < end) {
    const bytes = v128.load(at);
    const isDecimal = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(ZERO)), i8x16.splat(10));
    const others = min(<u32>ctz(i8x16.bitmask(isDecimal) | 1 << 16), end - at);
    // A true lane of a comparison is -1.
    const above = i8x16.ge_u(bytes, i8x16.splat(COLON));
    putDigits(i8x16.add(i8x16.add(bytes, i8x16.splat(1)), i8x16.add(above, above)), others);
    at += others;
    if (others < 16 && at < end) at = putDecimals(at, end);
  }
  put(END);
}

/** Writes the number at `at`; returns its end. */
// @ts-ignore: decorator
@inline
function putDecimals(at: u32, end: u32): u32 {
  while (at < end && load<u8>(at) == ZERO) at++;
  const decimals = i8x16.sub(v128.load(at), i8x16.splat(ZERO));
  const count = min(<u32>ctz(i8x16.bitmask(i8x16.ge_u(decimals, i8x16.splat(10))) | 1 << 16), end - at);
  if (count >= MANY) return putMany(at, end);
  const valid = v128.and(decimals, i8x16.lt_u(LANES, i8x16.splat(<i8>count)));
  // The first decimal of a pair is in the lower byte of a lane.
  const values = i16x8.add(i16x8.mul(v128.and(valid, i16x8.splat(255)), i16x8.splat(10)), i16x8.shr_u(valid, 8));
  putFirst(NUMBER + count, i8x16.narrow_i16x8_u(values, values), (count + 1) >> 1);
  return at + count;
}

/** putDecimals for MANY decimals or more, the first of which is not zero. */
function putMany(at: u32, end: u32): u32 {
  let stop = at;
  while (stop < end && load<u8>(stop) - ZERO < 10) stop++;
  const count = stop - at;
  put(NUMBER + MANY);
  if (count - MANY < LONG) put(count - MANY);
  else {
    put(LONG);
    putNumber(count);
  }
  for (; at < stop; at += 2) put(<u32>(load<u8>(at) - ZERO) * 10 + (at + 1 < stop ? <u32>(load<u8>(at, 1) - ZERO) : 0));
  return stop;
}
