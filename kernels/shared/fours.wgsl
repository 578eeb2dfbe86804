// Sums over four words in registers.

fn sum_of(words: vec4u) -> u32 { return words.x + words.y + words.z + words.w; }

/// What comes before each word, `before` coming before the first.
fn befores(words: vec4u, before: u32) -> vec4u {
  let second = before + words.x;
  let third = second + words.y;
  return vec4u(before, second, third, third + words.z);
}
