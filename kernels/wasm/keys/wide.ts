/** 128-bit numbers, for which WebAssembly has no instructions, as two 64-bit numbers. */

const LOW_HALF: u64 = 0xffffffff;

/** The upper half of a product. */
// @ts-ignore: decorator
@inline
export function multiplyHigh(a: u64, b: u64): u64 {
  const aLow = a & LOW_HALF;
  const aHigh = a >> 32;
  const bLow = b & LOW_HALF;
  const bHigh = b >> 32;
  const middle = aHigh * bLow + (aLow * bLow >> 32);
  return aHigh * bHigh + (middle >> 32) + ((middle & LOW_HALF) + aLow * bHigh >> 32);
}

/** The remainder of the last divideWide. */
export let remainder: u64 = 0;

/**
 * `high` * 2^64 + `low` divided by `divisor`, whose top bit is set and which exceeds `high`. Two steps of long division
 * in base 2^32.
 */
export function divideWide(high: u64, low: u64, divisor: u64): u64 {
  const upper = divideStep(high, low >> 32, divisor);
  const lower = divideStep(remainder, low & LOW_HALF, divisor);
  return upper << 32 | lower;
}

/**
 * One digit of the quotient of `high` * 2^32 + `next`. The estimate by the divisor's upper half is at most 2 too large
 * (Knuth, 4.3.1, theorem B), and at most 2^32 + 1.
 */
// @ts-ignore: decorator
@inline
function divideStep(high: u64, next: u64, divisor: u64): u64 {
  const upper = divisor >> 32;
  const lower = divisor & LOW_HALF;
  let digit = high / upper;
  let rest = high % upper;
  while (digit * lower > (rest << 32 | next)) {
    digit--;
    rest += upper;
    if (rest > LOW_HALF) break;
  }
  // Modulo 2^64, which exceeds the remainder.
  remainder = (high << 32 | next) - digit * divisor;
  return digit;
}
