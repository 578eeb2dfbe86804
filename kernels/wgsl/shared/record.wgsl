//! needs: shared/keyed, shared/starts
// Records and the bytes that order them. A kernel that includes this file declares, at any binding,
//   var<storage, read> text: array<u32>;      little-endian words
//   var<storage, read> starts: array<u32>;    see shared/starts.wgsl
//
// The *ordered bytes* of a record are its key, followed, if LAST_RESORT, by the whole record (keys then have one
// length). The keys of keyed lines are prefix-free; their ordered bytes are all that follows the header, or the key
// alone. Records compare by ordered bytes as in memcmp, then by length, then by number.
// REVERSE inverts all but the last.

override DELIMITER_BYTES: u32 = 1u;      // at the end of each record, not compared
override KEY_OFFSET: u32 = 0u;
override KEY_LENGTH: u32 = 0xffffffffu;  // TO_END, IN_HEADER, or a number of bytes
override LAST_RESORT: bool = false;      // only if KEY_LENGTH is a number of bytes
override REVERSE: bool = false;

const TO_END = 0xffffffffu;  // the key extends to the end of the record
const IN_HEADER = 0xfffffffeu;    // the header of the keyed line holds the length

/// The record's length in bytes without its delimiter.
fn record_length(i: u32) -> u32 {
  return record_start(i + 1u) - record_start(i) - DELIMITER_BYTES;
}

/// The number of ordered bytes.
fn ordered_length(i: u32) -> u32 {
  if (KEY_LENGTH == TO_END) { return record_length(i) - KEY_OFFSET; }
  if (KEY_LENGTH == IN_HEADER) { return header_key_length(record_start(i)); }
  return select(KEY_LENGTH, KEY_LENGTH + record_length(i), LAST_RESORT);
}

/// The address in the text of ordered byte `at` of record i (at < ordered_length(i)).
fn ordered_address(i: u32, at: u32) -> u32 {
  if (LAST_RESORT && at >= KEY_LENGTH) { return record_start(i) + at - KEY_LENGTH; }
  return record_start(i) + KEY_OFFSET + at;
}

/// How many ordered bytes from `at` are contiguous in the text.
fn ordered_contiguous(i: u32, at: u32) -> u32 {
  if (LAST_RESORT && at < KEY_LENGTH) { return KEY_LENGTH - at; }
  return ordered_length(i) - at;
}

/// Four bytes of the text from any address, the first in the highest byte, so that words compare as in memcmp.
fn text_bytes(address: u32) -> u32 {
  return reversed_bytes(text_little(address));
}

/// Four ordered bytes from `at`, the first in the highest byte, zeros past the end.
fn ordered_word(i: u32, at: u32) -> u32 {
  let length = ordered_length(i);
  if (at >= length) { return 0u; }
  let run = ordered_contiguous(i, at);
  var word = text_bytes(ordered_address(i, at));
  if (run < 4u) {
    word &= ~(0xffffffffu >> (run * 8u));
    if (at + run < length) { word |= text_bytes(ordered_address(i, at + run)) >> (run * 8u); }
    let left = length - at;
    if (left < 4u) { word &= ~(0xffffffffu >> (left * 8u)); }
  }
  return word;
}

/// The eight ordered bytes from `at` as (high, low); complemented if REVERSE, so that smaller means earlier.
fn ordered_prefix(i: u32, at: u32) -> vec2u {
  let prefix = vec2u(ordered_word(i, at), ordered_word(i, at + 4u));
  return select(prefix, ~prefix, REVERSE);
}
