/**
 * `integer` and `signed`: a whole number in decimal and nothing else. The row is the number in five digits, a fixed
 * length.
 */
import { isDigit } from './bytes';
import { BASE, put, putNumber } from '../shared/digits';
import { NOT_A_NUMBER, report, TOO_LARGE } from './problem';

const MINUS: u8 = 45;
const ZERO: u8 = 48;
/** Numbers are less than this; signed ones have half the range on each side of 0. */
const LIMIT: i64 = 1 << 39;
const HALF: i64 = LIMIT >> 1;

/** The number [at, end), at most LIMIT away from 0. Reports text that is not such a number. */
export function numberAt(at: u32, end: u32): i64 {
  const begin = at;
  const negative = at < end && load<u8>(at) == MINUS;
  if (negative) at++;
  if (at >= end) report(NOT_A_NUMBER, begin, end);
  let value: i64 = 0;
  for (; at < end; at++) {
    const digit = load<u8>(at) - ZERO;
    if (digit >= 10) {
      report(NOT_A_NUMBER, begin, end);
      return 0;
    }
    value = min<i64>(10 * value + <i64>digit, LIMIT);
  }
  if (value == LIMIT) report(TOO_LARGE, begin, end);
  return negative ? -value : value;
}

/** Writes the row of an `integer`, [at, end) in the text. */
// @ts-ignore: decorator
@inline
export function putInteger(value: i64, at: u32, end: u32): void {
  if (value < 0) report(NOT_A_NUMBER, at, end);
  else if (value >= LIMIT) report(TOO_LARGE, at, end);
  putFive(<u64>value);
}

/** Writes the row of a `signed`. */
// @ts-ignore: decorator
@inline
export function putSigned(value: i64, at: u32, end: u32): void {
  if (value <= -HALF || value >= HALF) report(TOO_LARGE, at, end);
  putFive(<u64>(value + HALF));
}

// @ts-ignore: decorator
@inline
function putFive(value: u64): void {
  if (value <= <u64>u32.MAX_VALUE) {
    const small = <u32>value;
    put(small / (BASE * BASE * BASE * BASE));
    putNumber(small % (BASE * BASE * BASE * BASE));
    return;
  }
  const high = value / (BASE * BASE);
  const low = <u32>(value - high * (BASE * BASE));
  put(<u32>(high / (BASE * BASE)) % BASE);
  put(<u32>(high / BASE % BASE));
  put(<u32>(high % BASE));
  put(low / BASE);
  put(low % BASE);
}
