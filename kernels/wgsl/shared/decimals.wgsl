//! needs: shared/fields
// Decimal digits of the text.

const ZERO = 48u;

fn is_digit(byte: u32) -> bool {
  return byte - ZERO < 10u;
}

/// The position of the first byte in [begin, end) that is not a digit, else `end`.
fn skip_digits(begin: u32, end: u32) -> u32 {
  var at = begin;
  while (at < end && is_digit(byte_at(at))) { at++; }
  return at;
}

fn skip_zeros(begin: u32, end: u32) -> u32 {
  var at = begin;
  while (at < end && byte_at(at) == ZERO) { at++; }
  return at;
}
