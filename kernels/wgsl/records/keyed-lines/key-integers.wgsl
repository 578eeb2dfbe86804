//! needs: shared/digits, shared/decimals, shared/flags
// The normalized keys of whole numbers in decimal, and of a SAM FLAG, byte for byte as kernels/wasm/keys/integer.ts and
// kernels/wasm/keys/flag.ts make them on the host. A file that includes this one declares put (a digit).
//
// A number is held as high * 255^2 + low: five digits of base 255, in 32 bits each.

struct Whole {
  high: u32,
  low: u32,
  valid: bool,    // false: no number, or too large; the host says what is wrong
}

const LOW_LIMIT = BASE * BASE;
// 2^39 = HIGH_LIMIT * LOW_LIMIT + LEAST_LOW is the first number that is too large.
const HIGH_LIMIT = 8454530u;
const LEAST_LOW = 638u;
const MOST_FLAG = 0xffffu;

/// The number [begin, end), decimals and nothing else.
fn whole_number(begin: u32, end: u32) -> Whole {
  var number = Whole(0u, 0u, begin < end);
  for (var at = begin; at < end && number.valid; at++) {
    let decimal = byte_at(at) - ZERO;
    let low = number.low * 10u + decimal;
    number.high = number.high * 10u + low / LOW_LIMIT;
    number.low = low % LOW_LIMIT;
    number.valid = decimal < 10u
      && (number.high < HIGH_LIMIT || (number.high == HIGH_LIMIT && number.low < LEAST_LOW));
  }
  return number;
}

/// Puts a number of five digits. Returns false if [begin, end) is not one.
fn put_integer(begin: u32, end: u32) -> bool {
  let number = whole_number(begin, end);
  put(number.high / LOW_LIMIT % BASE);
  put(number.high / BASE % BASE);
  put(number.high % BASE);
  put(number.low / BASE);
  put(number.low % BASE);
  return number.valid;
}

/// Puts a digit of the FLAG [begin, end): its strand, or what orders the records of a template. Returns false if it is
/// not a FLAG.
fn put_flag(begin: u32, end: u32, of_template: bool) -> bool {
  let number = whole_number(begin, end);
  let flag = number.high * LOW_LIMIT + number.low;
  put(select(strand_of(flag), template_marks(flag), of_template));
  return number.valid && number.high <= MOST_FLAG / LOW_LIMIT && flag <= MOST_FLAG;
}
