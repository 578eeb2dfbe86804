// The average of two keys of two words (the first word of a code is the high one).

/// (a + b) / 2, rounded down; less than the larger of two different codes.
fn key_average(a: Key, b: Key) -> Key {
  let both = a & b;
  let apart = a ^ b;
  let half = Key(apart.x >> 1u, (apart.y >> 1u) | (apart.x << 31u));
  let low = both.y + half.y;
  return Key(both.x + half.x + u32(low < half.y), low);
}
