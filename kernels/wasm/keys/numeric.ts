/**
 * -n: numbers by value, of any length and exact: blanks, a minus sign, digits, a point, digits. Text after that is
 * ignored, and a non-number counts as 0. Like GNU's strnumcmp in the C locale, without digit grouping. But byte 128 is
 * skipped between digits before the point: on x86 it equals CHAR_MAX + 1, GNU sort's marker for no separator. Here it
 * is skipped on every machine.
 */
import { isBlank, isDigit } from './bytes';
import { BASE, LANES, put, putFirst, putTurned } from '../shared/digits';

const MINUS: u8 = 45;
const POINT: u8 = 46;
const ZERO: u8 = 48;
const SEPARATOR: u8 = 128;

/** The digit of zero; those of positive numbers are greater. */
const NOTHING: u32 = 127;
/** Exponents from -LOW to HIGH fit into the first digit; others follow as 32 bits in five digits. */
const LOW: i32 = 20;
const HIGH: i32 = 100;
/** First digits of positive numbers, in order: exponents below -LOW, -LOW to HIGH, above HIGH. */
const BELOW: u32 = NOTHING + 1;
const FIRST: u32 = BELOW + 1;
const ABOVE: u32 = FIRST + <u32>(LOW + HIGH) + 1;

/**
 * Writes the row of the number at the beginning of [at, end).
 *
 * A nonzero number is 0.d1d2d3... * 10^e, where d1 and the last digit are not zero. Its row is one digit for the sign
 * and e, five more if e is out of range, then one digit for each pair p of decimal digits: 2p, plus 1 if pairs follow.
 * So a number below a hundred million takes five bytes. The digits of a negative number are complemented.
 */
export function putNumeric(at: u32, end: u32): void {
  while (at < end && isBlank(load<u8>(at))) at++;
  putDecimal(at, end);
}

/** putNumeric without skipping blanks. */
export function putDecimal(at: u32, end: u32): void {
  const negative = at < end && load<u8>(at) == MINUS;
  if (negative) at++;
  while (at < end && (load<u8>(at) == ZERO || load<u8>(at) == SEPARATOR)) at++;
  if (putShort(at, end, negative)) return;
  let exponent = 0;
  let digits = at;
  for (; at < end && (isDigit(load<u8>(at)) || load<u8>(at) == SEPARATOR); at++) {
    exponent += i32(load<u8>(at) != SEPARATOR);
  }
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
  // Trailing zeros do not count, neither of a fraction nor of an integer: the exponent holds the magnitude.
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
 * Writes the row of a short number in one step: an integer of 1 to 15 digits, or a number of up to 14 digits with a
 * fraction, whose first digit is before the point and not zero. Returns whether the number at `at` is one.
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
    // Digits that reach lane 15 may continue beyond the vector.
    count = min(<u32>ctz(others & ~(1 << whole) | 1 << 16), end - at) - 1;
    if (count >= 15) return false;
    // A true lane of a comparison is -1, so this skips the point.
    decimals = i8x16.swizzle(decimals, i8x16.sub(LANES, i8x16.ge_u(LANES, i8x16.splat(<i8>whole))));
  }
  const valid = v128.and(decimals, i8x16.lt_u(LANES, i8x16.splat(<i8>count)));
  const last = 31 - clz(i8x16.bitmask(i8x16.ne(valid, i8x16.splat(0))));
  const pairs = <u32>(last >> 1) + 1;
  // The first digit of a pair is in the lower byte of a lane. True lanes are -1, so all pairs but the last get 1 more.
  const values = i16x8.add(i16x8.mul(v128.and(valid, i16x8.splat(255)), i16x8.splat(10)), i16x8.shr_u(valid, 8));
  const digits = i16x8.sub(i16x8.shl(values, 1), i16x8.lt_u(PAIRS, i16x8.splat(<i16>(pairs - 1))));
  const row = i8x16.narrow_i16x8_u(digits, digits);
  const exponent = FIRST + whole + LOW;
  if (negative) putFirst(2 * NOTHING - exponent, i8x16.sub(i8x16.splat(<i8>(BASE - 1)), row), pairs);
  else putFirst(exponent, row, pairs);
  return true;
}

/**
 * Writes the row of the digits in [at, end), other bytes skipped, times 10^exponent. `turned`: 254 for a negative
 * number, else 0.
 */
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
  // Complemented for exponents below the range: then `size` grows with the exponent.
  const size = above ? <u32>exponent : ~<u32>(-exponent);
  for (let shift = 28; shift >= 0; shift -= 7) putTurned((size >> <u32>shift) & 127, turned);
}

/** First digits of negative numbers are mirrored about NOTHING, so they are less. */
// @ts-ignore: decorator
@inline
function putSigned(digit: u32, turned: u32): void { put(turned != 0 ? 2 * NOTHING - digit : digit); }
