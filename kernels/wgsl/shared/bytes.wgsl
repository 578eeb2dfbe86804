//! needs: shared/words
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
