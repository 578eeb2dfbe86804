//! needs: msd-bins
// What becomes of a bucket that is split: its digits in order are put together to items, each either the entries of one digit, more
// than a tile of them, to be split again, or at most a tile of entries of neighbouring digits, to be finished.
// A bucket is (begin, end, where, 0), `where` the bit at which its digit begins with its side above (and SETTLED where it does not move,
// AS_IT_IS where it is finished without being sorted).
// Entries of equal keys whose records go on (their tags have the code `long`) need no order: whoever settles those ties makes it.
// state[0] counts the items to be finished, state[1] says that ties are unresolved, state[4 + 4 level] counts the big buckets of a
// level, the words after it their tiles and the buckets of middle size.

const AT_MASK = 127u;
const SIDE_SHIFT = 7u;
const SETTLED = 256u;
const AS_IT_IS = 512u;

const RANGE_COUNT = 0u;
const UNRESOLVED_FLAG = 1u;
const LEVEL_WORDS = 4u;
const BIGS = 0u;
const TILES = 1u;
const MIDDLES = 2u;

fn level_word(level: u32, what: u32) -> u32 { return LEVEL_WORDS + LEVEL_WORDS * level + what; }

fn where_of(at: u32, side: u32) -> u32 { return at | (side << SIDE_SHIFT); }
/// Whether entries that differ in these bits only are equal but for their numbers.
fn only_numbers(high: u32, low: u32, tag: u32) -> bool {
  return high == 0u && low == 0u && tag != 0u && (tag & ~NUMBER_MASK) == 0u;
}

fn side_of(place: u32) -> u32 { return (place >> SIDE_SHIFT) & 1u; }

var<workgroup> item_begins: array<u32, BINS + 1u>;  // within the bucket
var<workgroup> item_count: u32;                     // 0: all entries have one digit

/// Makes the list of items of a bucket of `size` entries from its scanned bins: one thread goes through the digits. Every thread
/// calls it; it ends with a barrier.
fn list_items(thread: u32, size: u32) {
  if (thread == 0u) {
    var items = 0u;
    var open = 0u;        // entries in the item that may still grow
    var begin = 0u;
    for (var digit = 0u; digit < BINS; digit++) {
      let end = bin_begin(digit + 1u, size);
      let count = end - begin;
      if (count == size) { items = 0u; break; }
      if (count != 0u) {
        if (items == 0u || open + count > TILE) {
          item_begins[min(items, BINS)] = begin;
          items++;
          open = count;
        } else {
          open += count;
        }
      }
      begin = end;
    }
    item_begins[min(items, BINS)] = size;
    item_count = items;
  }
  workgroupBarrier();
}
