//! needs: shared/bytes
// Keyed lines (src/keys/keyed.ts): the key's length in HEADER digits of base 255, the key, the line as read.
// A kernel that includes this file declares text (bytes.wgsl).

override KEYED: bool = false;      // records are keyed lines; else plain text
override DELIMITER: u32 = 10u;     // no digit is this byte: bytes above it stand for one less

const HEADER = 4u;

/// The key's length in bytes, from the header of the keyed line that begins at `start`.
fn header_key_length(start: u32) -> u32 {
  let digits = text_little(start);
  var length = 0u;
  for (var i = 0u; i < HEADER; i++) {
    let byte = (digits >> (i * 8u)) & 255u;
    length = length * 255u + byte - select(0u, 1u, byte > DELIMITER);
  }
  return length;
}

/// Where the text begins of the record that begins at `start`.
fn text_begin(start: u32) -> u32 {
  if (!KEYED) { return start; }
  return start + HEADER + header_key_length(start);
}
