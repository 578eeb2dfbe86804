/**
 * -n: numbers by value, of any length and exactly: blanks, a minus sign, digits, a point, digits; what follows does not count, and no number is
 * zero. As GNU's strnumcmp in the C locale, where digits are not grouped.
 *
 * A number other than zero is 0.d1d2d3... times ten to the power e, with d1 and the last digit not zero: its row is a digit for the sign and e,
 * further ones where e is large, then the digits, two in each, twice as a number and one more where others follow. So a number below a
 * hundred million takes five bytes. Those of a negative number are turned about.
 */
import { isBlank, isDigit } from './bytes';
import { BASE, put, putTurned } from './digits';

const MINUS: u8 = 45;
const POINT: u8 = 46;
const ZERO: u8 = 48;

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
  while (at < end && load<u8>(at) == ZERO) at++;
  const whole = at;
  while (at < end && isDigit(load<u8>(at))) at++;
  let exponent = <i32>(at - whole);
  let digits = whole;
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
  // Zeros at the end of a fraction, and of a whole number, do not count; a point may lie between.
  while (at > digits && (load<u8>(at - 1) == ZERO || load<u8>(at - 1) == POINT)) at--;
  if (at == digits) {
    put(NOTHING);
    return;
  }
  putScaled(digits, at, exponent, negative ? BASE - 1 : 0);
}

/** The row of the digits in [at, end), in which a point does not count, times ten to the power `exponent`; `turned`: 0, or 254 for a negative number. */
function putScaled(at: u32, end: u32, exponent: i32, turned: u32): void {
  putExponent(exponent, turned);
  while (at < end) {
    let pair = <u32>(load<u8>(at++) - ZERO) * 10;
    if (at < end && load<u8>(at) == POINT) at++;
    if (at < end) pair += <u32>(load<u8>(at++) - ZERO);
    if (at < end && load<u8>(at) == POINT) at++;
    putTurned(2 * pair + u32(at < end), turned);
  }
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
