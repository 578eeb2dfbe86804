//! needs: shared/fields
// Numbers in lines of SAM, as kernels/wasm/alignments/numbers.ts reads them. A kernel that includes this file declares
// text (shared/bytes.wgsl) and fn fail(what: u32), which notes a problem.

const PLUS = 43u;
const MINUS = 45u;
const DOT = 46u;
const ZERO = 48u;

/// A whole number: where its digits end, 0 if it has none; its size without a sign; whether the size is below 2^32.
struct Whole { end: u32, size: u32, negative: bool, fits: bool }

/// Reads digits after an optional sign, up to another byte.
fn read_whole(at: u32) -> Whole {
  let sign = byte_at(at);
  var number = Whole(at + select(0u, 1u, sign == MINUS || sign == PLUS), 0u, sign == MINUS, true);
  let first = number.end;
  for (var digit = byte_at(first) - ZERO; digit < 10u; digit = byte_at(number.end) - ZERO) {
    if (number.size > 429496729u || (number.size == 429496729u && digit > 5u)) { number.fits = false; }
    number.size = number.size * 10u + digit;
    number.end++;
  }
  if (number.end == first) { number.end = 0u; }
  return number;
}

/// Whether a number is in [-least, most].
fn is_within(number: Whole, least: u32, most: u32) -> bool {
  return number.end != 0u && number.fits && number.size <= select(most, least, number.negative);
}

/// The value in two's complement.
fn value_of(number: Whole) -> u32 {
  return select(number.size, ~number.size + 1u, number.negative);
}

/// Digits and decimals of a number: with more, the CPU reads it. Both are below 2^30.
const LEAST_OF_NINE_DIGITS = 100000000u;
const NINE_DECIMALS = 1000000000u;
/// 25 bits: those of an f32, and one that shows how to round.
const LEAST_QUOTIENT = 1u << 24u;

/// The bits of the f32 nearest to the decimal number [begin, end); ties go to even. Notes the problem UNREADABLE if it
/// has more than nine digits or decimals, an exponent or letters.
fn single_of(begin: u32, end: u32) -> u32 {
  let sign = byte_at(begin);
  let is_signed = begin < end && (sign == MINUS || sign == PLUS);
  var digits = 0u;
  var size = 0u;
  var divisor = 1u;
  var has_dot = false;
  for (var at = begin + select(0u, 1u, is_signed); at < end; at++) {
    let byte = byte_at(at);
    if (byte == DOT && !has_dot) {
      has_dot = true;
      continue;
    }
    let digit = byte - ZERO;
    if (digit > 9u || size >= LEAST_OF_NINE_DIGITS || divisor == NINE_DECIMALS) {
      fail(UNREADABLE);
      return 0u;
    }
    size = size * 10u + digit;
    if (has_dot) { divisor *= 10u; }
    digits++;
  }
  if (digits == 0u) { fail(UNREADABLE); }
  return select(0u, 0x80000000u, sign == MINUS) | nearest_single(size, divisor);
}

/// The bits of the f32 nearest to size / divisor, both below 2^30. Division of f32 is not exact in WGSL, so this is
/// long division in binary.
fn nearest_single(size: u32, divisor: u32) -> u32 {
  if (size == 0u) { return 0u; }
  var quotient = size / divisor;
  var rest = size % divisor;
  var shift = 0u;
  while (quotient < LEAST_QUOTIENT) {
    rest *= 2u;
    quotient *= 2u;
    if (rest >= divisor) {
      rest -= divisor;
      quotient++;
    }
    shift++;
  }
  let extra = 8u - countLeadingZeros(quotient);
  let low = quotient & ((1u << extra) - 1u);
  let half = 1u << (extra - 1u);
  var significand = quotient >> extra;
  if (low > half || (low == half && (rest != 0u || (significand & 1u) == 1u))) { significand++; }
  // The highest bit of the significand adds 1 to the exponent, and 2^24 adds 2.
  return ((149u + extra - shift) << 23u) + significand;
}
