//! needs: shared/record, strings/entry, strings/text-reads-{TEXT_READS}
// The order of entries: a prefix and a pointer, with ties settled from the text (Davidson et al. 2012, section 4).
// text-reads-*.wgsl declares binding 2. A kernel that includes this file declares text, starts (shared/record.wgsl) and
//   var<immediate> im with the words
//     depth      where keys begin in the ordered bytes; unused if grouped
//     key_bytes  ordered bytes a key holds: 4 (low is 0) or 8; if grouped, the lowest 4 to 7 bytes of the key
//     tie_bytes  ties are settled here up to this many bytes from the key's beginning; refinement settles the rest.
//                Equal to key_bytes: ties are not settled here, and no text is read
//     grouped    1: the key's high bytes hold a group number, and depths[group] is where its ordered bytes begin

// Results of comparing two texts.
const BEFORE = -1;
const EQUAL = 0;        // and both have ended
const AFTER = 1;
const UNRESOLVED = 2;   // equal up to the limit, and both continue

/// Four ordered bytes of record i, which begins at `start`; all four must exist.
fn full_word(i: u32, start: u32, at: u32) -> u32 {
  if (LAST_RESORT) { return ordered_word(i, at); }
  return text_bytes(start + KEY_OFFSET + at);
}

/// Compares the ordered bytes [begin, end) of two records that are equal before `begin`, then their lengths.
fn compare_text(a: u32, b: u32, begin: u32, end: u32) -> i32 {
  let a_length = ordered_length(a);
  let b_length = ordered_length(b);
  let a_start = record_start(a);
  let b_start = record_start(b);
  let stop = min(min(a_length, b_length), end);
  var at = begin;
  while (at + 4u <= stop) {
    let x = full_word(a, a_start, at);
    let y = full_word(b, b_start, at);
    if (x != y) { return select(AFTER, BEFORE, (x < y) != REVERSE); }
    at += 4u;
  }
  if (at < stop) {
    let mask = ~(0xffffffffu >> ((stop - at) * 8u));
    let x = ordered_word(a, at) & mask;
    let y = ordered_word(b, at) & mask;
    if (x != y) { return select(AFTER, BEFORE, (x < y) != REVERSE); }
  }
  if (a_length > end && b_length > end) { return UNRESOLVED; }
  if (a_length == b_length) { return EQUAL; }
  return select(AFTER, BEFORE, (a_length < b_length) != REVERSE);
}

/// The bytes by which a merge window shifted its keys, and where these keys of eight bytes begin
/// (string-merge/window-keys.wgsl); 0: keys are as the host says.
var<private> window_shift: u32 = 0u;
var<private> window_depth: u32 = 0u;

/// The bytes from an unshifted key's beginning that keys settle.
fn settled_bytes() -> u32 {
  return select(im.key_bytes, window_shift + 8u, window_shift != 0u);
}

/// Compares the texts of two entries that have equal keys and are both long.
fn compare_ties(high: u32, tag: u32, other: u32) -> i32 {
  var depth = window_depth - window_shift;
  if (window_shift == 0u) { depth = key_depth(high); }
  return compare_text(tag & NUMBER_MASK, other & NUMBER_MASK, depth + settled_bytes(), depth + im.tie_bytes);
}

/// Whether a comes before b: by key, text, length, record number.
/// No two entries are equal, so any sort by it is stable.
fn entry_before(a: Entry, b: Entry) -> bool {
  if (a.high != b.high) { return a.high < b.high; }
  if (a.low != b.low) { return a.low < b.low; }
  if (im.tie_bytes > settled_bytes() && both_long(a.tag, b.tag, REVERSE)) {
    count_text_read();
    let order = compare_ties(a.high, a.tag, b.tag);
    if (order == BEFORE) { return true; }
    if (order == AFTER) { return false; }
  }
  return a.tag < b.tag;
}
