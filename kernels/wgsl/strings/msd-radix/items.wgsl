//! needs: strings/msd-radix/bins
// Divides a split bucket into items. An item is either the entries of one digit, more than a tile of them, to be split
// again, or at most a tile of entries of adjacent digits, to be finished.
// A bucket is (begin, end, where, 0). `where` is the bit at which its digit begins, with the bucket's side above it,
// and SETTLED if it does not move, AS_IT_IS if it is finished unsorted. Entries of equal keys whose records continue
// (tags have the code `long`) need no order: the pass that settles those ties orders them.
// state[0] counts items to finish. state[1] is set if ties are unresolved. state[4 + 4 level] counts a level's big
// buckets; the two words after it count their tiles and the medium buckets.

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
/// Whether entries that differ in these bits only differ in record numbers alone.
fn only_numbers(high: u32, low: u32, tag: u32) -> bool {
  return high == 0u && low == 0u && tag != 0u && (tag & ~NUMBER_MASK) == 0u;
}

fn side_of(place: u32) -> u32 { return (place >> SIDE_SHIFT) & 1u; }

var<workgroup> item_begins: array<u32, BINS + 1u>;  // offsets in the bucket
var<workgroup> item_count: u32;                     // 0: all entries have one digit

/// Lists the items of a bucket of `size` entries from its scanned bins; one thread walks the digits. Every thread calls
/// it; it ends with a barrier.
fn list_items(thread: u32, size: u32) {
  if (thread == 0u) {
    var items = 0u;
    var open = 0u;        // entries in the last item, which may still grow
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
