//! needs: shared/bytes, bgzf/deflate-bits
// A BGZF block around its data (SAM specification, section 4.1), and the data of a stored block.

const SLOT_WORDS = 16384u;     // of `out` for each block: the largest BGZF block
const HEADER_BYTES = 18u;      // of a BGZF block: HEADER_WORDS, and its size in two bytes
const HEADER_WORDS = array(0x04088b1fu, 0u, 0x0006ff00u, 0x00024342u);
const TRAILER_BYTES = 8u;
const STORED_BYTES = 5u;       // header of a stored block
const BLOCK_HEADER_BITS = 3u;  // of a block of DEFLATE: whether it is the last one, and its kind
const LAST_DYNAMIC = 5u;
const LAST_STORED = 1u;

/// Writes the header of a BGZF block of `size` bytes to the slot.
fn write_header(size: u32, slot: u32) {
  open_bits(slot * SLOT_WORDS);
  for (var i = 0u; i < 4u; i++) { put_word(HEADER_WORDS[i]); }
  put_bits(size - 1u, 16u);
}

fn write_stored(start: u32, bytes: u32) {
  put_bits(LAST_STORED, 8u);  // with padding
  put_word(bytes | (~bytes << 16u));
  for (var at = 0u; at + 4u <= bytes; at += 4u) { put_word(text_little(start + at)); }
  let rest = bytes & 3u;
  if (rest != 0u) { put_bits(low_bytes(text_little(start + bytes - rest), rest), rest * 8u); }
}

fn write_trailer(crc: u32, bytes: u32) {
  put_word(crc);
  put_word(bytes);
  close_bits();
}
