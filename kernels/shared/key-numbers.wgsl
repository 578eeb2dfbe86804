// -n: the row of a number, by value, of any length and exactly, as kernels/keys/numeric.ts has it for the host. A file that needs this has put (a digit) and
// BASE, and what fields.wgsl has.
//
// A number other than zero is 0.d1d2d3... times ten to the power e, with d1 and the last digit not zero: a digit for the sign and e, further
// ones where e is large, then the digits, two in each, twice as a number and one more where others follow.

const ZERO_ROW = 127u;              // the digit of zero: those of positive numbers are above it
const LEAST_EXPONENT = -20;         // exponents that are part of the first digit
const MOST_EXPONENT = 100;
const BELOW_EXPONENTS = 128u;       // first digits of positive numbers: below any such exponent, from the least on, above
const FIRST_EXPONENT = 129u;
const ABOVE_EXPONENTS = 250u;

const MINUS = 45u;
const POINT = 46u;
const ZERO = 48u;
const PASSED = 128u;                // between digits before the point: see kernels/keys/numeric.ts

fn is_digit(byte: u32) -> bool {
  return byte - ZERO < 10u;
}

/// Where the first byte in [begin, end) that is no digit is, else `end`.
fn skip_digits(begin: u32, end: u32) -> u32 {
  var at = begin;
  while (at < end && is_digit(byte_at(at))) { at++; }
  return at;
}

/// Where the next digit behind the one at `begin` is, else `end`.
fn next_digit(begin: u32, end: u32) -> u32 {
  var at = begin + 1u;
  while (at < end && !is_digit(byte_at(at))) { at++; }
  return at;
}

fn skip_zeros(begin: u32, end: u32) -> u32 {
  var at = begin;
  while (at < end && byte_at(at) == ZERO) { at++; }
  return at;
}

/// First digits are turned about that of zero: those of negative numbers are below it.
fn put_signed(digit: u32, negative: bool) { put(select(digit, 2u * ZERO_ROW - digit, negative)); }

fn put_turned(digit: u32, negative: bool) { put(select(digit, BASE - 1u - digit, negative)); }

fn put_exponent(exponent: i32, negative: bool) {
  if (exponent >= LEAST_EXPONENT && exponent <= MOST_EXPONENT) {
    put_signed(FIRST_EXPONENT + u32(exponent - LEAST_EXPONENT), negative);
    return;
  }
  let above = exponent > 0;
  put_signed(select(BELOW_EXPONENTS, ABOVE_EXPONENTS, above), negative);
  // Of exponents below all others the largest is the one nearest to zero.
  let size = select(~u32(-exponent), u32(exponent), above);
  for (var i = 0u; i < 5u; i++) { put_turned((size >> (28u - 7u * i)) & 127u, negative); }
}

/// Puts the row of the number at the beginning of [begin, end); returns where its last byte that was looked at ends, `end` where it may go on there.
fn put_number(begin: u32, end: u32) -> u32 {
  var at = begin;
  while (at < end && is_blank(byte_at(at))) { at++; }
  let negative = at < end && byte_at(at) == MINUS;
  if (negative) { at++; }
  while (at < end && (byte_at(at) == ZERO || byte_at(at) == PASSED)) { at++; }
  var digits = at;
  var exponent = 0;
  for (; at < end && (is_digit(byte_at(at)) || byte_at(at) == PASSED); at++) { exponent += select(0, 1, byte_at(at) != PASSED); }
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
  // Zeros at the end of a fraction, and of a whole number, do not count.
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
