/**
 * -n: numbers by value, of any length and exactly: blanks, a minus sign, digits, a point, digits; what follows does not count, and no number is
 * zero. As GNU's strnumcmp in the C locale, where digits are not grouped; but on x86 byte 128 is passed between digits before the point, as GNU sort's
 * mark of no separator, CHAR_MAX + 1, is that byte there. So it is here, on every machine.
 *
 * A number other than zero is 0.d1d2d3... times ten to the power e, with d1 and the last digit not zero: its row is a digit for the sign and e,
 * further ones where e is large, then the digits, two in each, twice as a number and one more where others follow. So a number below a
 * hundred million takes five bytes. Those of a negative number are turned about.
 */
import { isBlank, isDigit } from './bytes';
import { BASE, LANES, put, putFirst, putTurned } from './digits';

const MINUS: u8 = 45;
const POINT: u8 = 46;
const ZERO: u8 = 48;
const SEPARATOR: u8 = 128;

/** The digit of zero; those of positive numbers are above it. */
const NOTHING: u32 = 127;
/** Exponents from -LOW to HIGH are part of the first digit; others follow as four bytes' worth. */
const LOW: i32 = 20;
const HIGH: i32 = 100;
/** First digits of positive numbers, from the smallest: below any such exponent, those from -LOW to HIGH, above. */
const BELOW: u32 = NOTHING + 1;
const FIRST: u32 = BELOW + 1;
const ABOVE: u32 = FIRST + <u32>(LOW + HIGH) + 1;

/** Writes the row of the number at the beginning of [at, end). */
export function putNumeric(at: u32, end: u32): void {
  while (at < end && isBlank(load<u8>(at))) at++;
  putDecimal(at, end);
}

/** The same where no blanks are passed. */
export function putDecimal(at: u32, end: u32): void {
  const negative = at < end && load<u8>(at) == MINUS;
  if (negative) at++;
  while (at < end && (load<u8>(at) == ZERO || load<u8>(at) == SEPARATOR)) at++;
  if (putShort(at, end, negative)) return;
  let exponent = 0;
  let digits = at;
  for (; at < end && (isDigit(load<u8>(at)) || load<u8>(at) == SEPARATOR); at++) exponent += i32(load<u8>(at) != SEPARATOR);
  if (at < end && load<u8>(at) == POINT) {
    at++;
    if (exponent == 0) {
      const fraction = at;
      while (at < end && load<u8>(at) == ZERO) at++;
      exponent = -<i32>(at - fraction);
      digits = at;
    }
    while (at < end && isDigit(load<u8>(at))) at++;
  }
  // Zeros at the end of a fraction, and of a whole number, do not count.
  while (at > digits && (load<u8>(at - 1) == ZERO || !isDigit(load<u8>(at - 1)))) at--;
  if (at == digits) {
    put(NOTHING);
    return;
  }
  putScaled(digits, at, exponent, negative ? BASE - 1 : 0);
}

/** The numbers of eight lanes of 16 bits. */
const PAIRS: v128 = i16x8(0, 1, 2, 3, 4, 5, 6, 7);

/**
 * Writes the row of a number of 1 to 15 digits before the point, or 14 in all, the first of which is before the point and not zero, all at once; tells whether the number at `at`
 * is one.
 */
// @ts-ignore: decorator
@inline
function putShort(at: u32, end: u32, negative: bool): bool {
  let decimals = i8x16.sub(v128.load(at), i8x16.splat(ZERO));
  const others = i8x16.bitmask(i8x16.ge_u(decimals, i8x16.splat(10)));
  const whole = min(<u32>ctz(others | 1 << 16), end - at);
  const next = load<u8>(at + whole);
  if (whole - 1 >= 15 || next == SEPARATOR) return false;
  let count = whole;
  if (next == POINT && at + whole < end) {
    // All digits but one that is in lane 15 may have others behind it.
    count = min(<u32>ctz(others & ~(1 << whole) | 1 << 16), end - at) - 1;
    if (count >= 15) return false;
    // A lane that a comparison finds true is -1.
    decimals = i8x16.swizzle(decimals, i8x16.sub(LANES, i8x16.ge_u(LANES, i8x16.splat(<i8>whole))));
  }
  const valid = v128.and(decimals, i8x16.lt_u(LANES, i8x16.splat(<i8>count)));
  const last = 31 - clz(i8x16.bitmask(i8x16.ne(valid, i8x16.splat(0))));
  const pairs = <u32>(last >> 1) + 1;
  // The first digit of a pair is the lower byte of a lane. A lane that a comparison finds true is -1: all but the last pair tell that others follow.
  const values = i16x8.add(i16x8.mul(v128.and(valid, i16x8.splat(255)), i16x8.splat(10)), i16x8.shr_u(valid, 8));
  const digits = i16x8.sub(i16x8.shl(values, 1), i16x8.lt_u(PAIRS, i16x8.splat(<i16>(pairs - 1))));
  const row = i8x16.narrow_i16x8_u(digits, digits);
  const exponent = FIRST + whole + LOW;
  if (negative) putFirst(2 * NOTHING - exponent, i8x16.sub(i8x16.splat(<i8>(BASE - 1)), row), pairs);
  else putFirst(exponent, row, pairs);
  return true;
}

/** The row of the digits in [at, end), whatever lies between them, times ten to the power `exponent`; `turned`: 0, or 254 for a negative number. */
function putScaled(at: u32, end: u32, exponent: i32, turned: u32): void {
  putExponent(exponent, turned);
  while (at < end) {
    let pair = <u32>(load<u8>(at) - ZERO) * 10;
    at = nextDigit(at, end);
    if (at < end) {
      pair += <u32>(load<u8>(at) - ZERO);
      at = nextDigit(at, end);
    }
    putTurned(2 * pair + u32(at < end), turned);
  }
}

// @ts-ignore: decorator
@inline
function nextDigit(at: u32, end: u32): u32 {
  do at++; while (at < end && !isDigit(load<u8>(at)));
  return at;
}

function putExponent(exponent: i32, turned: u32): void {
  if (exponent >= -LOW && exponent <= HIGH) {
    putSigned(FIRST + <u32>(exponent + LOW), turned);
    return;
  }
  const above = exponent > 0;
  putSigned(above ? ABOVE : BELOW, turned);
  // Of exponents below all others the largest is the one nearest to zero.
  const size = above ? <u32>exponent : ~<u32>(-exponent);
  for (let shift = 28; shift >= 0; shift -= 7) putTurned((size >> <u32>shift) & 127, turned);
}

/** First digits are turned about NOTHING: those of negative numbers are below it. */
// @ts-ignore: decorator
@inline
function putSigned(digit: u32, turned: u32): void { put(turned != 0 ? 2 * NOTHING - digit : digit); }
