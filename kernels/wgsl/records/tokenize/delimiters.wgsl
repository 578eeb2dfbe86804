// Finds a delimiter byte in a tile of text, 64 bytes per thread.
// A kernel that includes this file declares, at any binding,
//   var<storage, read> text: array<vec4u>;    little-endian words

override DELIMITER: u32 = 10u;

const THREAD_VECTORS = 4u;      // adjacent vectors: 64 bytes per thread, 16 KiB per tile of 256 threads
const TILE_VECTORS = 1024u;

/// 0x80 in each byte of `word` that equals the delimiter, 0 in the others; exact for every byte value.
fn delimiters_in(word: u32) -> u32 {
  let x = word ^ (DELIMITER * 0x01010101u);
  return ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x | 0x7f7f7f7fu);
}

/// delimiters_in for the 16 bytes from byte `vector` * 16; ignores bytes at or after `end`.
fn delimiters_at(vector: u32, end: u32) -> vec4u {
  let first = vector * 16u;
  if (first >= end) { return vec4u(); }
  let words = text[vector];
  var found = vec4u(delimiters_in(words.x), delimiters_in(words.y), delimiters_in(words.z), delimiters_in(words.w));
  if (end - first < 16u) {
    // Bytes of each word before `end`: 0 to 4.
    let left = vec4u(clamp(vec4i(i32(end - first)) - vec4i(0, 4, 8, 12), vec4i(0), vec4i(4)));
    found &= select((vec4u(1u) << ((left & vec4u(3u)) * 8u)) - 1u, vec4u(0xffffffffu), left == vec4u(4u));
  }
  return found;
}

/// The number of delimiters in a result of delimiters_at.
fn delimiter_count(found: vec4u) -> u32 {
  let ones = countOneBits(found);
  return ones.x + ones.y + ones.z + ones.w;
}
