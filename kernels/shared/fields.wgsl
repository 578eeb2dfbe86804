//! needs: bytes
// Parts of a record by fields, as GNU sort's -k has them (src/keys/fields.ts): fields are parted by a separator of 1 to 4 bytes, the first of them
// in the lowest place, or, where it has none, begin where blanks do. A kernel that needs this declares text (bytes.wgsl).

fn byte_at(at: u32) -> u32 {
  return (text[at >> 2u] >> ((at & 3u) * 8u)) & 255u;
}

fn is_blank(byte: u32) -> bool {
  return byte == 32u || byte == 9u || byte == 10u;
}

/// Where the first separator in [begin, limit) that ends by `limit` begins, else `limit`; four bytes a step.
fn find_separator(begin: u32, limit: u32, separator: u32, separator_bytes: u32) -> u32 {
  let first = (separator & 255u) * 0x01010101u;
  var at = begin;
  while (at < limit) {
    let x = text[at >> 2u] ^ first;
    // 0x80 in each byte that is the separator's first, those before `at` left out.
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

/// The end of the first `count` fields of [begin, limit), behind the separator that ends the last of them where `pass_separator`.
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

/// `bytes` bytes behind `begin`, or behind the blanks there; not beyond `limit`.
fn skip_bytes(begin: u32, limit: u32, bytes: u32, blanks: bool) -> u32 {
  var at = begin;
  while (blanks && at < limit && is_blank(byte_at(at))) { at++; }
  return at + min(bytes, limit - at);
}
