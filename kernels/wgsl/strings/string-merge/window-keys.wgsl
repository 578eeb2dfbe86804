//! needs: strings/string-merge/tile
// Keys of a merge window after the ordered bytes that all its records share. If many neighbors have equal keys,
// comparisons would read both texts again and again; a new key reads one text once, and holds the next eight bytes.
//   1. Each thread counts the ties of its entries with the entry before, in the same input.
//   2. If a quarter of the entries are tied, one thread finds what the window's least and greatest record share: at
//      least as much as all records between them do, as far as comparisons look.
//   3. Each entry of the tile gets the key and the tag of its bytes after that. Outputs are then copied from memory.
// A new key must not reach beyond `tie_bytes`: runs are ordered by no more.
// Source: Davidson et al. 2012, section 6.2 and future work (shifting out the bits that a window shares).

/// A comparison reads two records, and an entry takes part in more than two comparisons.
const TIED_PART = 4u;

/// How many ordered bytes from `begin` two records share, as far as `end`.
fn shared_text(a: u32, b: u32, begin: u32, end: u32) -> u32 {
  let stop = min(end, min(ordered_length(a), ordered_length(b)));
  for (var at = begin; at < stop; at += 4u) {
    let differing = ordered_word(a, at) ^ ordered_word(b, at);
    if (differing != 0u) { return min(stop, at + (countLeadingZeros(differing) >> 3u)) - begin; }
  }
  return max(stop, begin) - begin;
}

/// How many bytes all records between two share from their keys' beginning, at most `most`.
fn shared_by(least: Entry, greatest: Entry, most: u32) -> u32 {
  let high = least.high ^ greatest.high;
  let low = least.low ^ greatest.low;
  let group_bytes = select(0u, 8u - im.key_bytes, im.grouped != 0u);
  var bytes = 8u;
  if (high != 0u) { bytes = countLeadingZeros(high) >> 3u; } else if (low != 0u) {
    bytes = 4u + (countLeadingZeros(low) >> 3u);
  }
  if (bytes <= group_bytes) { return 0u; }
  let a = least.tag & NUMBER_MASK;
  let b = greatest.tag & NUMBER_MASK;
  let depth = key_depth(least.high);
  bytes = min(bytes - group_bytes, im.key_bytes);
  // Zeros after a record's end are no bytes of it.
  bytes = min(bytes, min(ordered_length(a), ordered_length(b)) - depth);
  if (bytes == im.key_bytes) { bytes += shared_text(a, b, depth + bytes, depth + most); }
  return min(bytes, most);
}

/// Makes the keys of the tile's entries, `a_count` of A and then those of B, after the bytes that the window shares, if
/// that pays; sets window_shift. Every thread calls it after a barrier; it ends with one.
fn shift_window(thread: u32, a_count: u32, count: u32) {
  if (im.tie_bytes <= 8u || im.tie_bytes <= im.key_bytes) { return; }
  var ties = 0u;
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    if (i > 0u && i < count && i != a_count) {
      let entry = tile_get(i);
      let before = tile_get(i - 1u);
      if (entry.high == before.high && entry.low == before.low && both_long(entry.tag, before.tag, REVERSE)) { ties++; }
    }
  }
  tile_source[thread] = ties;
  for (var width = THREADS >> 1u; width > 0u; width >>= 1u) {
    workgroupBarrier();
    if (thread < width) { tile_source[thread] += tile_source[thread + width]; }
  }
  workgroupBarrier();
  if (thread == 0u) {
    var shift = 0u;
    if (tile_source[0] * TIED_PART >= count) {
      let a_first = tile_get(0u);
      let b_first = tile_get(a_count);
      let a_last = tile_get(a_count - 1u);
      let b_last = tile_get(count - 1u);
      var least = a_first;
      if (entry_before(b_first, a_first)) { least = b_first; }
      var greatest = b_last;
      if (entry_before(b_last, a_last)) { greatest = a_last; }
      shift = shared_by(least, greatest, im.tie_bytes - 8u);
    }
    tile_source[0] = shift;
  }
  workgroupBarrier();
  let shift = tile_source[0];
  if (shift != 0u) {
    window_depth = key_depth(tile_get(0u).high) + shift;
    window_shift = shift;
  }
  workgroupBarrier();
  if (shift != 0u) {
    for (var k = 0u; k < PER_THREAD; k++) {
      let i = thread + k * THREADS;
      if (i < count) {
        let number = tile_get(i).tag & NUMBER_MASK;
        let key = ordered_prefix(number, window_depth);
        let left = ordered_length(number) - window_depth;
        tile_put(i, Entry(key.x, key.y, entry_tag(number, left, 8u, REVERSE)));
      }
    }
  }
  workgroupBarrier();
}
