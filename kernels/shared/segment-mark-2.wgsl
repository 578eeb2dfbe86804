//! needs: keyed
// What tells segments apart: a part of the record by fields, as GNU sort's -k has them (src/keys/fields.ts). A kernel that needs this
// declares text and starts (record.wgsl).
// A mark is (first byte, byte behind the last one) of what names the record's segment. UNKNOWN: more than LOOK bytes would have to be
// read; ALONE is no record here.

override DELIMITER_BYTES: u32 = 1u;
override BEGIN_FIELD: u32 = 0u;          // fields to pass, bytes behind them, and whether blanks between are passed
override BEGIN_BYTE: u32 = 0u;
override BEGIN_BLANKS: bool = false;
override END_FIELD: u32 = 0xffffffffu;   // the same for the end; all ones: the record's end
override END_BYTE: u32 = 0u;             // 0: the end of the last field that is passed
override END_BLANKS: bool = false;
override SEPARATOR: u32 = 0u;            // the bytes that part fields, the first in the lowest place, and how many
override SEPARATOR_BYTES: u32 = 0u;      // 0: fields begin where blanks do

const LOOK = 65536u;
const ALONE = vec2u(0xffffffffu, 0u);
const UNKNOWN = vec2u(0xffffffffu, 1u);

fn byte_at(at: u32) -> u32 {
  return (text[at >> 2u] >> ((at & 3u) * 8u)) & 255u;
}

/// Whether a separator begins at `at` and ends by `limit`.
fn parts_fields(at: u32, limit: u32) -> bool {
  return SEPARATOR_BYTES <= limit - at && low_bytes(text_little(at), SEPARATOR_BYTES) == SEPARATOR;
}

fn is_blank(byte: u32) -> bool {
  return byte == 32u || byte == 9u || byte == 10u;
}

/// The end of the first `count` fields of [begin, limit), behind the separator that ends the last of them where `pass_separator`.
fn skip_fields(begin: u32, limit: u32, count: u32, pass_separator: bool) -> u32 {
  var at = begin;
  for (var left = count; left > 0u && at < limit; left--) {
    if (SEPARATOR_BYTES == 0u) {
      while (at < limit && is_blank(byte_at(at))) { at++; }
      while (at < limit && !is_blank(byte_at(at))) { at++; }
    } else {
      while (at < limit && !parts_fields(at, limit)) { at++; }
      if (at < limit && (left > 1u || pass_separator)) { at += SEPARATOR_BYTES; }
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

fn segment_mark(i: u32) -> vec2u {
  let record = text_begin(starts[i]);
  let end = starts[i + 1u] - DELIMITER_BYTES;
  let limit = min(end, record + LOOK);
  let first = skip_bytes(skip_fields(record, limit, BEGIN_FIELD, true), limit, BEGIN_BYTE, BEGIN_BLANKS);
  var last = limit;
  if (END_FIELD != 0xffffffffu) {
    if (END_BYTE == 0u) { last = skip_fields(record, limit, END_FIELD, false); }
    else { last = skip_bytes(skip_fields(record, limit, END_FIELD, true), limit, END_BYTE, END_BLANKS); }
  }
  // What stops at the limit might have gone on.
  if (limit < end && max(first, last) == limit) { return UNKNOWN; }
  return vec2u(first, max(first, last));
}
