//! needs: shared/bytes
// Parts of a record by fields, as in GNU sort's -k (src/keys/fields.ts). A separator of 1 to 4 bytes, the first in the
// lowest byte, divides fields. Without a separator, each run of blanks begins a field.
// A kernel that includes this file declares text (bytes.wgsl).

fn byte_at(at: u32) -> u32 {
  return (text[at >> 2u] >> ((at & 3u) * 8u)) & 255u;
}

fn is_blank(byte: u32) -> bool {
  return byte == 32u || byte == 9u || byte == 10u;
}

/// The position of the first separator that lies wholly in [begin, limit), else `limit`. Takes four bytes per step.
fn find_separator(begin: u32, limit: u32, separator: u32, separator_bytes: u32) -> u32 {
  let first = (separator & 255u) * 0x01010101u;
  var at = begin;
  while (at < limit) {
    let x = text[at >> 2u] ^ first;
    // 0x80 in each byte that equals the separator's first byte; bytes before `at` are shifted out.
    let found = ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x | 0x7f7f7f7fu) >> ((at & 3u) * 8u);
    if (found == 0u) {
      at = (at | 3u) + 1u;
    } else {
      at += countTrailingZeros(found) >> 3u;
      if (at >= limit || separator_bytes > limit - at) { return limit; }
      if (low_bytes(text_little(at), separator_bytes) == separator) { return at; }
      at++;
    }
  }
  return limit;
}

/// The end of the first `count` fields of [begin, limit); after the last field's separator if `pass_separator`.
fn skip_fields(begin: u32, limit: u32, count: u32, separator: u32, separator_bytes: u32, pass_separator: bool) -> u32 {
  var at = begin;
  for (var left = count; left > 0u && at < limit; left--) {
    if (separator_bytes == 0u) {
      while (at < limit && is_blank(byte_at(at))) { at++; }
      while (at < limit && !is_blank(byte_at(at))) { at++; }
    } else {
      at = find_separator(at, limit, separator, separator_bytes);
      if (at < limit && (left > 1u || pass_separator)) { at += separator_bytes; }
    }
  }
  return at;
}

/// `bytes` bytes after `begin`, or after the blanks at `begin` if `blanks`; at most `limit`.
fn skip_bytes(begin: u32, limit: u32, bytes: u32, blanks: bool) -> u32 {
  var at = begin;
  while (blanks && at < limit && is_blank(byte_at(at))) { at++; }
  return at + min(bytes, limit - at);
}
