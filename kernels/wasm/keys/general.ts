/**
 * -g: the value that strtold returns for the beginning of a part, in the C locale on x86: white space, a sign, then a
 * decimal or hexadecimal number, inf or nan. Non-numbers sort first, then NaNs (nan.ts), then numbers by value.
 *
 * The row of a positive number is one digit for its kind and exponent, two more if the exponent is far from 0, then the
 * 63 bits of the mantissa after the first, 7 per digit, up to the last 1. So integers below 255 take two bytes, and no
 * number more than 12. The digits of a negative number are complemented.
 */
import { isDigit } from './bytes';
import { setDecimal } from './decimal';
import { BASE, put, putTurned } from '../shared/digits';
import { setHexadecimal } from './hexadecimal';
import { INFINITE, exponent, mantissa, setInfinite } from './long-double';
import { putNan } from './nan';

const MINUS: u8 = 45;
const PLUS: u8 = 43;
const POINT: u8 = 46;
const ZERO: u8 = 48;
const LETTER_X: u8 = 120;

/** The first digit of a non-number; NaNs have the next three. */
const NO_NUMBER: u32 = 0;
/**
 * The first digit of zero; those of positive numbers are greater, those of negative numbers are their mirror images.
 */
const NOTHING: u32 = 129;
/**
 * First digits of positive numbers, in order: less than 2^LOW, exponents LOW to HIGH (trillionths
 * to septillions), greater, infinity.
 */
const LOW: i32 = -40;
const HIGH: i32 = 81;
const BELOW: u32 = NOTHING + 1;
const FIRST: u32 = BELOW + 1;
const ABOVE: u32 = FIRST + <u32>(HIGH - LOW) + 1;
const ENDLESS: u32 = ABOVE + 1;
/** Added to exponents that have their own digits: the smallest is -16445. */
const BIAS: i32 = 1 << 15;

/**
 * Mantissa bits per digit. Bits n make the digit 2n, plus 1 if others follow. For n = 127 it is 254 either way, so a
 * digit always follows.
 */
const BITS: u32 = 7;
const ALL_ONES: u32 = 127;
/** This many digits hold 63 bits. */
const MOST: u32 = 9;

/** Writes the row of the number at the beginning of [at, end). */
export function putGeneral(at: u32, end: u32): void {
  while (at < end && isSpace(load<u8>(at))) at++;
  const negative = at < end && load<u8>(at) == MINUS;
  if (negative || (at < end && load<u8>(at) == PLUS)) at++;
  if (isDecimal(at, end)) {
    if (end - at > 2 && load<u8>(at) == ZERO && (load<u8>(at + 1) | 32) == LETTER_X) setHexadecimal(at + 2, end);
    else setDecimal(at, end);
    putMagnitude(negative);
  } else if (isWord(at, end, 0x666e69)) {
    setInfinite();
    putMagnitude(negative);
  } else if (isWord(at, end, 0x6e616e)) putNan(at + 3, end, negative);
  else put(NO_NUMBER);
}

/** White space of the C locale. */
// @ts-ignore: decorator
@inline
function isSpace(byte: u8): bool { return byte == 32 || byte - 9 < 5; }

/** Whether a digit, or a point and a digit, is at `at`. */
// @ts-ignore: decorator
@inline
function isDecimal(at: u32, end: u32): bool {
  if (at < end && load<u8>(at) == POINT) at++;
  return at < end && isDigit(load<u8>(at));
}

/** Whether the three letters of `word`, the first in its lowest byte, are at `at`, in either case. */
function isWord(at: u32, end: u32, word: u32): bool {
  return end > at && end - at >= 3 && ((<u32>load<u16>(at) | <u32>load<u8>(at + 2) << 16) | 0x202020) == word;
}

/** Writes the row of the current long double. */
export function putMagnitude(negative: bool): void {
  if (mantissa == 0) {
    put(NOTHING);
    return;
  }
  const about = negative ? BASE - 1 : 0;
  if (exponent == INFINITE) {
    putSigned(ENDLESS, negative);
    return;
  }
  if (exponent >= LOW && exponent <= HIGH) putSigned(FIRST + <u32>(exponent - LOW), negative);
  else {
    putSigned(exponent > 0 ? ABOVE : BELOW, negative);
    const size = <u32>(exponent + BIAS);
    putTurned(size / BASE, about);
    putTurned(size % BASE, about);
  }
  let rest = mantissa << 1;
  for (let left = MOST; left > 0; left--) {
    const bits = <u32>(rest >> (64 - BITS));
    rest <<= BITS;
    putTurned(min(2 * bits + u32(rest != 0), BASE - 1), about);
    if (rest == 0 && bits != ALL_ONES) return;
  }
}

/** First digits of negative numbers are mirrored about NOTHING. */
// @ts-ignore: decorator
@inline
function putSigned(digit: u32, negative: bool): void { put(negative ? 2 * NOTHING - digit : digit); }
