// Bytes of words, as in a little-endian text: the first one is the lowest.

/// The lowest `count` bytes of a word (`count` from 0 to 4), with zeros above.
fn low_bytes(word: u32, count: u32) -> u32 {
  return select(word & ((1u << ((count & 3u) * 8u)) - 1u), word, count == 4u);
}

/// The bytes of a word in reverse.
fn reversed_bytes(word: u32) -> u32 {
  let pairs = ((word & 0x00ff00ffu) << 8u) | ((word >> 8u) & 0x00ff00ffu);
  return (pairs << 16u) | (pairs >> 16u);
}
