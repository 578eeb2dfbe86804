/**
 * The value of a decimal number as `sort -n` reads it, exact, in two 64-bit numbers. Rare numbers have no value here:
 * those with more than MOST_DIGITS digits on a side of the point, or with bytes that GNU sort skips. Shares no code
 * with the kernels that make keys (kernels/wasm/keys/numeric.ts).
 */

const MOST_DIGITS: u32 = 15;
const POINT: u32 = 46;
const MINUS: u32 = 45;
const ZERO: u8 = 48;
const SPACE: u32 = 32;
const TAB: u32 = 9;
const NEWLINE: u32 = 10;
const FIRST_BEYOND_ASCII: u32 = 128;

/** The last number read: its integer part, and its fraction in units of 10^-16, both signed. */
export let whole: i64 = 0;
export let fraction: i64 = 0;

// @ts-ignore: decorator
@inline
function byteAt(at: u32, end: u32): u32 { return at < end ? <u32>load<u8>(at) : 0; }

/** How many of the 16 bytes from `at`, up to `end`, are digits before the first non-digit. */
// @ts-ignore: decorator
@inline
function digitsAt(at: u32, end: u32): u32 {
  const others = ~i8x16.bitmask(i8x16.lt_u(i8x16.sub(v128.load(at), i8x16.splat(ZERO)), i8x16.splat(10)));
  return min(<u32>ctz(others), end - at);
}

/** The number that eight digits stand for, the first in the lowest byte; only the lower half of each byte counts. */
// @ts-ignore: decorator
@inline
function eightDigits(digits: u64): u64 {
  let sum = (digits & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
  sum = (sum & 0x00ff00ff00ff00ff) * 6553601 >> 16;
  return (sum & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

/** The number that `count` digits (0 to 16) at `at` stand for. */
// @ts-ignore: decorator
@inline
function numberAt(at: u32, count: u32): u64 {
  if (count <= 8) return count == 0 ? 0 : eightDigits(load<u64>(at) << <u64>(64 - 8 * count));
  return eightDigits(load<u64>(at) << <u64>(128 - 8 * count)) * 100_000_000 + eightDigits(load<u64>(at + count - 8));
}

/**
 * Reads the number that [begin, end) begins with, 0 if there is none; returns whether it has a value here. Reads up to
 * 15 bytes past `end`.
 */
// @ts-ignore: decorator
@inline
export function readDecimal(begin: u32, end: u32): bool {
  // The common case: nothing but digits.
  const leading = digitsAt(begin, end);
  if (begin + leading == end && leading <= MOST_DIGITS) {
    whole = <i64>numberAt(begin, leading);
    fraction = 0;
    return true;
  }
  return readAny(begin, end);
}

function readAny(begin: u32, end: u32): bool {
  let at = begin;
  let byte = byteAt(at, end);
  while (byte == SPACE || byte == TAB) byte = byteAt(++at, end);
  const negative = byte == MINUS;
  if (negative) at++;
  const digits = at < end ? digitsAt(at, end) : 0;
  const value = numberAt(at, digits);
  at += digits;
  byte = byteAt(at, end);
  let places: u32 = 0;
  let part: u64 = 0;
  if (byte == POINT) {
    places = digitsAt(++at, end);
    part = numberAt(at, places);
    at += places;
    byte = byteAt(at, end);
  }
  if (digits > MOST_DIGITS || places > MOST_DIGITS || byte >= FIRST_BEYOND_ASCII || byte == NEWLINE) return false;
  if (part != 0) for (; places <= MOST_DIGITS; places++) part *= 10;
  whole = negative ? -<i64>value : <i64>value;
  fraction = negative ? -<i64>part : <i64>part;
  return true;
}
