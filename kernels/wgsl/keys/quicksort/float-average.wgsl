// The average of two IEEE 754 numbers, from their highest words, in integer arithmetic: WGSL has no numbers of 64 bits,
// and lets implementations treat infinities and subnormal numbers as they like.
// Needs keys/codes. The host prepends `const KEY_WORDS`.

const EXPONENT_BITS = select(8u, 11u, KEY_WORDS == 2u);
const MANTISSA_BITS = 31u - EXPONENT_BITS;  // those in the highest word
const MOST_EXPONENT = (1u << EXPONENT_BITS) - 1u;
const POINT = 29u;  // the leading bit of a magnitude

/// The magnitude of a number, with its leading bit at POINT unless it is subnormal.
fn magnitude(number: u32, exponent: u32) -> u32 {
  let fraction = number & ((1u << MANTISSA_BITS) - 1u);
  return (fraction | (u32(exponent > 0u) << MANTISSA_BITS)) << (POINT - MANTISSA_BITS);
}

/// The highest word of (a + b) / 2, rounded towards zero. Of infinities and NaN, the result is any number. If it is
/// subnormal, the result is zero.
fn float_average(a: u32, b: u32) -> u32 {
  let turn = (a & ~SIGN) < (b & ~SIGN);
  let x = select(a, b, turn);
  let y = select(b, a, turn);
  let x_exponent = (x >> MANTISSA_BITS) & MOST_EXPONENT;
  let y_exponent = (y >> MANTISSA_BITS) & MOST_EXPONENT;
  let apart = min(max(x_exponent, 1u) - max(y_exponent, 1u), 31u);
  let smaller = magnitude(y, y_exponent) >> apart;
  let sum = magnitude(x, x_exponent) + select(smaller, 0u - smaller, ((x ^ y) & SIGN) != 0u);
  let place = 31u - min(countLeadingZeros(sum), 31u);
  // Half of the sum: its leading bit, at POINT if both numbers are alike, counts one less.
  let exponent = i32(max(x_exponent, 1u)) - 1 + i32(place) - i32(POINT);
  if (sum == 0u || exponent <= 0) { return 0u; }
  let aligned = select(sum << (POINT - min(place, POINT)), sum >> 1u, place > POINT);
  let fraction = (aligned >> (POINT - MANTISSA_BITS)) & ((1u << MANTISSA_BITS) - 1u);
  return (x & SIGN) | (u32(exponent) << MANTISSA_BITS) | fraction;
}
