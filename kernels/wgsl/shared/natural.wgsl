//! needs: shared/digits, shared/decimals
// The normalized key of a read name in natural order, byte for byte as kernels/wasm/shared/natural.ts makes it on the
// host. A file that includes this one declares put (a digit).
//
// One digit for each byte outside numbers, and END last. A number is a digit for its count of decimals without leading
// zeros, in the place of the decimals among the bytes, then a digit for each two decimals. From MANY decimals on, the
// count has digits of its own.

const END = 0u;
const NUMBER = ZERO + 1u;
const AFTER_DECIMALS = 58u;    // the first byte after the decimals
const MANY = 7u;
const LONG = 254u;             // counts from MANY + LONG take four digits more

fn put_natural(begin: u32, end: u32) {
  var at = begin;
  while (at < end) {
    let byte = byte_at(at);
    if (is_digit(byte)) {
      at = put_decimals(skip_zeros(at, end), end);
    } else {
      put(select(byte + 1u, byte - 1u, byte >= AFTER_DECIMALS));
      at++;
    }
  }
  put(END);
}

/// Puts the number at `begin`, whose first decimal is not zero; there may be none. Returns its end.
fn put_decimals(begin: u32, end: u32) -> u32 {
  let stop = skip_digits(begin, end);
  let count = stop - begin;
  put(NUMBER + min(count, MANY));
  if (count >= MANY) { put(min(count - MANY, LONG)); }
  if (count >= MANY + LONG) { put_four(count); }
  for (var at = begin; at < stop; at += 2u) {
    var pair = (byte_at(at) - ZERO) * 10u;
    if (at + 1u < stop) { pair += byte_at(at + 1u) - ZERO; }
    put(pair);
  }
  return stop;
}
