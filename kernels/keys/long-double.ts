/**
 * Numbers as the long double of x86 has them: 64 bits of mantissa, the first of which is 1, and 15 of exponent; below 2^-16382 fewer bits of
 * mantissa, down to one at 2^-16445.
 */

/** The number without its sign: mantissa * 2^(exponent - 63); a mantissa of 0 is zero. The mantissa's top bit is set for small numbers, too. */
export let mantissa: u64 = 0;
export let exponent: i32 = 0;

/** The exponent of infinity, above all others; the smallest one with a mantissa of 64 bits. */
export const INFINITE: i32 = 16384;
const SMALLEST_FULL: i32 = -16382;

const TOP: u64 = 1 << 63;

export function setZero(): void { mantissa = 0; }

export function setInfinite(): void { setExact(TOP, INFINITE); }

/** Sets a number that needs no rounding, whose top bit is set. */
// @ts-ignore: decorator
@inline
export function setExact(newMantissa: u64, newExponent: i32): void {
  mantissa = newMantissa;
  exponent = newExponent;
}

/**
 * Sets the long double nearest to (high + low / 2^64) * 2^(scale - 63), or to something above that by less than 1 in `low` where `more`; of two as near
 * the one with an even mantissa. The top bit of `high` is set.
 */
export function setRounded(high: u64, low: u64, more: bool, scale: i64): void {
  if (scale >= INFINITE) {
    setInfinite();
    return;
  }
  const missing = max<i64>(SMALLEST_FULL - scale, 0);
  if (missing > 64) {
    setZero();
    return;
  }
  if (missing == 64) {
    more = more || low != 0;
    low = high;
    high = 0;
  } else if (missing > 0) {
    more = more || low << (64 - missing) != 0;
    low = low >> missing | high << (64 - missing);
    high >>= missing;
  }
  if (low > TOP || (low == TOP && (more || (high & 1) != 0))) high++;
  let newExponent = <i32>(scale + missing);
  if (high == 0) {
    // Nothing is left of a number that small, or all bits of a mantissa were 1 and have been rounded up.
    if (missing > 0) {
      setZero();
      return;
    }
    high = TOP;
    newExponent++;
  }
  const shift = clz(high);
  setExact(high << shift, newExponent - <i32>shift);
}
