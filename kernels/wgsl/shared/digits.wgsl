// Digits of base 255, of which normalized keys consist. A file that includes this one declares put (a digit).

const BASE = 255u;

/// Puts a number of four digits.
fn put_four(number: u32) {
  put(number / (BASE * BASE * BASE));
  put(number / (BASE * BASE) % BASE);
  put(number / BASE % BASE);
  put(number % BASE);
}
