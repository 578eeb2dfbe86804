//! needs: keys/quicksort/float-average
// The average of two keys of two words (the first word of a code is the high one).

/// (a + b) / 2, rounded down; less than the larger of two different codes.
fn key_average(a: Key, b: Key) -> Key {
  let both = a & b;
  let apart = a ^ b;
  let half = Key(apart.x >> 1u, (apart.y >> 1u) | (apart.x << 31u));
  let low = both.y + half.y;
  return Key(both.x + half.x + u32(low < half.y), low);
}

/// The code of the average of two numbers, from their highest words; for other keys the average of their codes.
fn number_average(a: Key, b: Key) -> Key {
  if (!FLOAT) { return key_average(a, b); }
  let high = select(1u, 0u, HIGH_FIRST);  // where a number's highest word is
  var words = Key(0u);
  words[high] = float_average(decode_key(a)[high], decode_key(b)[high]);
  return encode_key(words);
}
