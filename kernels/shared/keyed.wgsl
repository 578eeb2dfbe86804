//! needs: bytes
// Keyed lines (src/keys/keyed.ts): the length of the key in HEADER digits of base 255, the key, the line as it was read. A kernel that needs
// this declares text (bytes.wgsl).

override KEYED: bool = false;      // records are keyed lines, else the text alone
override DELIMITER: u32 = 10u;     // no digit is this byte: those above it stand for one less

const HEADER = 4u;

/// The bytes of the key of the keyed line that begins at `start`.
fn told_key_length(start: u32) -> u32 {
  let digits = text_little(start);
  var length = 0u;
  for (var i = 0u; i < HEADER; i++) {
    let byte = (digits >> (i * 8u)) & 255u;
    length = length * 255u + byte - select(0u, 1u, byte > DELIMITER);
  }
  return length;
}

/// Where the text of the record that begins at `start` does.
fn text_begin(start: u32) -> u32 {
  if (!KEYED) { return start; }
  return start + HEADER + told_key_length(start);
}
