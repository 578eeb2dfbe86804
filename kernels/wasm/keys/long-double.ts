/**
 * Numbers in the format of the x86 long double: a mantissa of 64 bits, the first of which is 1, and 15 bits of
 * exponent. Below 2^-16382 the mantissa has fewer bits, down to one at 2^-16445.
 */

/**
 * The number without its sign: mantissa * 2^(exponent - 63); mantissa 0 is zero. The mantissa's top bit is set even if
 * it has fewer bits.
 */
export let mantissa: u64 = 0;
export let exponent: i32 = 0;

/** The exponent of infinity, above all others; below it the smallest exponent with a mantissa of 64 bits. */
export const INFINITE: i32 = 16384;
const SMALLEST_FULL: i32 = -16382;

const TOP: u64 = 1 << 63;

export function setZero(): void { mantissa = 0; }

export function setInfinite(): void { setExact(TOP, INFINITE); }

/** Sets a number that needs no rounding; its top bit is set. */
// @ts-ignore: decorator
@inline
export function setExact(newMantissa: u64, newExponent: i32): void {
  mantissa = newMantissa;
  exponent = newExponent;
}

/**
 * Sets the long double nearest to (high + low / 2^64) * 2^(scale - 63), or if `more`, to a number above that by less
 * than 1 in `low`. Of two equally near ones, sets the one with an even mantissa. The top bit of `high` is set.
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
    // The number is too small and rounds to zero, or a mantissa of all ones overflowed when it was rounded up.
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
