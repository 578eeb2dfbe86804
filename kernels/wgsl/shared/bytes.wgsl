// Unaligned reads of the text. A kernel that includes this file declares, at any binding,
//   var<storage, read> text: array<u32>;      little-endian words, one more than the bytes read need

/// Four bytes of the text from any address, the first in the lowest byte, as in a word of the text.
fn text_little(address: u32) -> u32 {
  let word = address >> 2u;
  let shift = (address & 3u) * 8u;
  var little = text[word];
  if (shift != 0u) { little = (little >> shift) | (text[word + 1u] << (32u - shift)); }
  return little;
}

/// The lowest `count` bytes of a word (`count` from 0 to 4), with zeros above.
fn low_bytes(word: u32, count: u32) -> u32 {
  return select(word & ((1u << ((count & 3u) * 8u)) - 1u), word, count == 4u);
}

/// The bytes of a word in reverse.
fn reversed_bytes(word: u32) -> u32 {
  let pairs = ((word & 0x00ff00ffu) << 8u) | ((word >> 8u) & 0x00ff00ffu);
  return (pairs << 16u) | (pairs >> 16u);
}
