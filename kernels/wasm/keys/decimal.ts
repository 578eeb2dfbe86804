/**
 * Converts decimal text of any length to the nearest long double, exactly.
 *
 * A number of up to 19 digits is a 64-bit integer times a power of ten. If that power is small, a 128-bit product, or
 * the quotient and remainder of 128 by 64 bits, is exact. Other numbers need big integers, which at first have only
 * some of the digits.
 */
import { isDigit } from './bytes';
import {
  A, B, bitLength, bitsAt, divide, hasBitsBelow, multiplyAdd, multiplyByFives, setSmall, shiftLeft,
} from './big';
import { exponent, mantissa, setExact, setInfinite, setRounded, setZero } from './long-double';
import { divideWide, multiplyHigh, remainder } from './wide';

const MINUS: u8 = 45;
const PLUS: u8 = 43;
const POINT: u8 = 46;
const ZERO: u8 = 48;
const LETTER_E: u8 = 101;

/** A number of this many digits always fits into 64 bits. */
const SHORT: i64 = 19;
/** The largest power of five that fits into 64 bits. */
const SMALL_POWER: i64 = 27;
/** Powers of five, shifted left by 63 - fiveExponent(k) bits, so that the top bit is set. */
const FIVES: usize = memory.data(224);
for (let power = 0, five: u64 = 1; power <= <i32>SMALL_POWER; power++, five *= 5) {
  store<u64>(FIVES + (<usize>power << 3), five << clz(five));
}

/** Digits that determine the upper 128 bits of a number to within 1 in the last: 10^39 is more than 2^129. */
const USUAL: i64 = 40;
/**
 * For digits after this many, only their presence counts: a midpoint of two long doubles has no more. It is an integer
 * of at most 65 bits times 2^-k, k <= 16446; that is, below 2^65 * 5^16446 / 10^16446: 11515 digits.
 */
const MOST: i64 = 11520;
/** Numbers from 10^4933 are infinite; those below 10^-4951 are less than half of the smallest long double. */
const HIGHEST_POINT: i64 = 4933;
const LOWEST_POINT: i64 = -4950;
/** Exponents saturate here, far above the number of digits in a line. */
const HUGE: i64 = 1 << 40;

/** Sets the long double nearest to the number at `at`, which begins with a digit or with a point and a digit. */
export function setDecimal(at: u32, end: u32): void {
  /** The digits from the first nonzero one, modulo 2^64; the number is 0.d1d2... * 10^point. */
  let value: u64 = 0;
  while (at < end && load<u8>(at) == ZERO) at++;
  let digits = at;
  for (; at < end && isDigit(load<u8>(at)); at++) value = 10 * value + (load<u8>(at) - ZERO);
  let count: i64 = at - digits;
  let point = count;
  if (at < end && load<u8>(at) == POINT) {
    at++;
    if (count == 0) {
      const fraction = at;
      while (at < end && load<u8>(at) == ZERO) at++;
      digits = at;
      point = -<i64>(at - fraction);
    }
    const rest = at;
    for (; at < end && isDigit(load<u8>(at)); at++) value = 10 * value + (load<u8>(at) - ZERO);
    count += at - rest;
  }
  let last = at;
  if (at < end && (load<u8>(at) | 32) == LETTER_E) point += exponentAt(at + 1, end);
  if (count <= SHORT && setShort(value, point - count)) return;
  for (; load<u8>(last - 1) == ZERO || load<u8>(last - 1) == POINT; last--) count -= i64(load<u8>(last - 1) == ZERO);
  setLong(digits, count, point);
}

/** The exponent at `at`, an optional sign and digits; 0 if there is none. */
export function exponentAt(at: u32, end: u32): i64 {
  const negative = at < end && load<u8>(at) == MINUS;
  if (negative || (at < end && load<u8>(at) == PLUS)) at++;
  let size: i64 = 0;
  for (; at < end && isDigit(load<u8>(at)); at++) size = min<i64>(10 * size + (load<u8>(at) - ZERO), HUGE);
  return negative ? -size : size;
}

/** Sets value * 10^power. Returns false, and sets nothing, if that needs big integers. */
function setShort(value: u64, power: i64): bool {
  if (value == 0) {
    setZero();
    return true;
  }
  const size = power < 0 ? -power : power;
  if (size > SMALL_POWER) return false;
  const shift = clz(value);
  const high = value << shift;
  const five = load<u64>(FIVES + (<usize>size << 3));
  // value = high * 2^-shift, 5^size = five * 2^(fiveExponent - 63).
  if (power == 0) setExact(high, 63 - <i32>shift);
  else if (power > 0) {
    let upper = multiplyHigh(high, five);
    let lower = high * five;
    let scale = 64 - <i64>shift + fiveExponent(size) + power;
    if (<i64>upper >= 0) {
      upper = upper << 1 | lower >> 63;
      lower <<= 1;
      scale--;
    }
    setRounded(upper, lower, false, scale);
  } else {
    const half = u64(high >= five);
    const quotient = divideWide(high >> half, half != 0 ? high << 63 : 0, five);
    // Never halfway: the dividend would be a power of five times a number of 65 significant bits, but it has
    // at most 64.
    const up = remainder > five >> 1;
    setRounded(quotient, 0 - u64(up), false, 62 + <i64>half - <i64>shift - fiveExponent(size) + power);
  }
  return true;
}

/** The greatest e with 2^e <= 5^power, for small powers: log2(5) is 2.3219281. */
// @ts-ignore: decorator
@inline
function fiveExponent(power: i64): i64 { return power * 152170 >> 16; }

/**
 * Sets 0.d1d2... * 10^point from the `count` digits at `digits`, which may include a point. The last digit is not 0.
 */
function setLong(digits: u32, count: i64, point: i64): void {
  if (point > HIGHEST_POINT) {
    setInfinite();
    return;
  }
  if (point < LOWEST_POINT) {
    setZero();
    return;
  }
  evaluate(digits, min(count, USUAL), point);
  if (count > USUAL) {
    // The number is above (high, low) and below (high, low + 2).
    // If both ends round alike, the other digits do not matter.
    setRounded(high, low, true, scale);
    const lowerMantissa = mantissa;
    const lowerExponent = exponent;
    if (low != u64.MAX_VALUE) {
      setRounded(high, low + 1, true, scale);
      if (mantissa == lowerMantissa && exponent == lowerExponent) return;
    }
    evaluate(digits, min(count, MOST), point);
  }
  setRounded(high, low, more || count > MOST, scale);
}

/** A number in the form that setRounded takes. */
let high: u64 = 0;
let low: u64 = 0;
let more: bool = false;
let scale: i64 = 0;

/**
 * Evaluates 0.d1d2... * 10^point of the first `count` digits: an integer times 10^(point - count). With up to MOST
 * digits and this range of points, integers and powers of five have up to 38270 bits, dividends 160 more: 1202 limbs.
 */
function evaluate(digits: u32, count: i64, point: i64): void {
  readDigits(A, digits, <i32>count);
  const power = <i32>(point - count);
  let twos = power;
  more = false;
  if (power >= 0) multiplyByFives(A, power);
  else {
    setSmall(B, 1);
    multiplyByFives(B, -power);
    // The divisor needs its top bit set and at least two limbs; the quotient needs at least 128 bits.
    const size = bitLength(B);
    const divisorShift = max(64, size + 31 & ~31) - size;
    shiftLeft(B, divisorShift);
    const shift = max(0, size + divisorShift + 128 - bitLength(A));
    shiftLeft(A, shift);
    more = divide(A, B);
    twos += divisorShift - shift;
  }
  const bits = bitLength(A);
  high = bitsAt(A, bits - 64);
  low = bitsAt(A, bits - 128);
  more = more || hasBitsBelow(A, bits - 128);
  scale = <i64>(bits - 1 + twos);
}

/** Sets a big integer to `count` digits, the first of which is not 0. */
function readDigits(big: usize, at: u32, count: i32): void {
  let value: u32 = 0;
  let factor: u32 = 1;
  setSmall(big, 0);
  for (; count > 0; at++) {
    const byte = load<u8>(at);
    if (byte == POINT) continue;
    value = 10 * value + (byte - ZERO);
    factor *= 10;
    count--;
    if (factor == 1000000000 || count == 0) {
      multiplyAdd(big, factor, value);
      value = 0;
      factor = 1;
    }
  }
}
