// 64-bit numbers as vec2u(low, high), modulo 2^64, in 32-bit arithmetic.

fn add_wide(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < b.x));
}

/// The full 64-bit product of two words.
fn multiply_words(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = vec2u((a >> 16u) * (b & 0xffffu), (a & 0xffffu) * (b >> 16u));
  let carry = (low >> 16u) + (middle.x & 0xffffu) + (middle.y & 0xffffu);
  let high = (a >> 16u) * (b >> 16u) + (middle.x >> 16u) + (middle.y >> 16u) + (carry >> 16u);
  return vec2u((low & 0xffffu) | (carry << 16u), high);
}

fn multiply_wide(a: vec2u, b: vec2u) -> vec2u {
  let low = multiply_words(a.x, b.x);
  return vec2u(low.x, low.y + a.x * b.y + a.y * b.x);
}
