// The average of two keys of four words (the first word of a code is the highest).

/// (a + b) / 2, rounded down; less than the larger of two different codes.
fn key_average(a: Key, b: Key) -> Key {
  let both = a & b;
  let apart = a ^ b;
  let half = (apart >> Key(1u)) | (Key(0u, apart.xyz) << Key(31u));
  // The shared bits plus half of the others never overflow a key, but words carry into each other.
  let w = both.w + half.w;
  let carry_w = u32(w < half.w);
  let z = both.z + half.z + carry_w;
  let carry_z = u32(z < half.z || (z == half.z && carry_w == 1u));
  let y = both.y + half.y + carry_z;
  let carry_y = u32(y < half.y || (y == half.y && carry_z == 1u));
  return Key(both.x + half.x + carry_y, y, z, w);
}

/// Keys of four words are no floating-point numbers.
fn number_average(a: Key, b: Key) -> Key { return key_average(a, b); }
