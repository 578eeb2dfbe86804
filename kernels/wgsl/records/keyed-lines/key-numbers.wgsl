//! needs: shared/digits, shared/decimals
// The normalized key of -n: a number of any length, exact, byte for byte as kernels/wasm/keys/numeric.ts makes it on
// the host. A file that includes this one declares put (a digit).
//
// A nonzero number is 0.d1d2d3... * 10^e, where d1 and the last digit are not zero. Its key is one digit for the sign
// and e, five more if e is out of range, then one digit for each pair p of decimal digits: 2p, plus 1 if pairs follow.

const ZERO_ROW = 127u;              // the digit of zero; first digits of positive numbers are greater
const LEAST_EXPONENT = -20;         // exponents that fit into the first digit
const MOST_EXPONENT = 100;
// First digits of positive numbers: e below the range, e from LEAST_EXPONENT up, e above the range.
const BELOW_EXPONENTS = 128u;
const FIRST_EXPONENT = 129u;
const ABOVE_EXPONENTS = 250u;

const MINUS = 45u;
const POINT = 46u;
const PASSED = 128u;                // skipped between digits before the point: see kernels/wasm/keys/numeric.ts

/// The position of the next digit after the one at `begin`, else `end`.
fn next_digit(begin: u32, end: u32) -> u32 {
  var at = begin + 1u;
  while (at < end && !is_digit(byte_at(at))) { at++; }
  return at;
}

/// First digits of negative numbers are mirrored about ZERO_ROW, so that they are less.
fn put_signed(digit: u32, negative: bool) { put(select(digit, 2u * ZERO_ROW - digit, negative)); }

fn put_turned(digit: u32, negative: bool) { put(select(digit, BASE - 1u - digit, negative)); }

fn put_exponent(exponent: i32, negative: bool) {
  if (exponent >= LEAST_EXPONENT && exponent <= MOST_EXPONENT) {
    put_signed(FIRST_EXPONENT + u32(exponent - LEAST_EXPONENT), negative);
    return;
  }
  let above = exponent > 0;
  put_signed(select(BELOW_EXPONENTS, ABOVE_EXPONENTS, above), negative);
  // Complemented for exponents below the range, so that `size` grows with the exponent.
  let size = select(~u32(-exponent), u32(exponent), above);
  for (var i = 0u; i < 5u; i++) { put_turned((size >> (28u - 7u * i)) & 127u, negative); }
}

/// Puts the key of the number at the beginning of [begin, end). Returns the end of the bytes it examined; if that is
/// `end`, the number may continue there.
fn put_number(begin: u32, end: u32) -> u32 {
  var at = begin;
  while (at < end && is_blank(byte_at(at))) { at++; }
  let negative = at < end && byte_at(at) == MINUS;
  if (negative) { at++; }
  while (at < end && (byte_at(at) == ZERO || byte_at(at) == PASSED)) { at++; }
  var digits = at;
  var exponent = 0;
  for (; at < end && (is_digit(byte_at(at)) || byte_at(at) == PASSED); at++) {
    exponent += select(0, 1, byte_at(at) != PASSED);
  }
  if (at < end && byte_at(at) == POINT) {
    at++;
    if (exponent == 0) {
      digits = skip_zeros(at, end);
      exponent = -i32(digits - at);
      at = digits;
    }
    at = skip_digits(at, end);
  }
  let stop = at;
  // Trailing zeros do not count, neither of a fraction nor of an integer: the exponent holds the magnitude.
  while (at > digits && (byte_at(at - 1u) == ZERO || !is_digit(byte_at(at - 1u)))) { at--; }
  if (at == digits) {
    put(ZERO_ROW);
    return stop;
  }
  put_exponent(exponent, negative);
  let last = at;
  at = digits;
  while (at < last) {
    var pair = (byte_at(at) - ZERO) * 10u;
    at = next_digit(at, last);
    if (at < last) {
      pair += byte_at(at) - ZERO;
      at = next_digit(at, last);
    }
    put_turned(2u * pair + select(0u, 1u, at < last), negative);
  }
  return stop;
}
