//! needs: keys/quicksort/float-average
// The average of two keys of one word.

/// (a + b) / 2, rounded down; less than the larger of two different codes.
fn key_average(a: Key, b: Key) -> Key { return (a & b) + ((a ^ b) >> 1u); }

/// The code of the average of two numbers; for other keys the average of their codes.
fn number_average(a: Key, b: Key) -> Key {
  if (!FLOAT) { return key_average(a, b); }
  return encode_key(float_average(decode_key(a), decode_key(b)));
}
