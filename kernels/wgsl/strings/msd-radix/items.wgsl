//! needs: strings/msd-radix/bins
// Divides a split bucket into items. An item is either the entries of one digit, more than a tile of them, to be split
// again, or at most a tile of entries of adjacent digits, to be finished.
// A bucket is (begin, end, where, 0). `where` is the bit at which its digit begins, with the bucket's side above it,
// and SETTLED if it does not move.
// state[0] counts items to finish. state[1] is set if records of equal keys continue, which they do unless low &
// state[3] == state[4]. state[2] is the width of the first digit if the device chooses it. These three words are from
// the packing (strings/radix-refine/packing.wgsl). state[8 + 4 level] counts a level's big buckets; the two words after
// it count their tiles and the medium buckets.

const AT_MASK = 127u;
const SIDE_SHIFT = 7u;
const SETTLED = 256u;

const RANGE_COUNT = 0u;
const UNRESOLVED_FLAG = 1u;
const FIRST_DIGIT = 2u;
const END_MASK = 3u;
const END_VALUE = 4u;
const FIRST_LEVEL = 8u;
const LEVEL_WORDS = 4u;
const BIGS = 0u;
const TILES = 1u;
const MIDDLES = 2u;

fn level_word(level: u32, what: u32) -> u32 { return FIRST_LEVEL + LEVEL_WORDS * level + what; }

fn where_of(at: u32, side: u32) -> u32 { return at | (side << SIDE_SHIFT); }

fn side_of(place: u32) -> u32 { return (place >> SIDE_SHIFT) & 1u; }

const ITEM_WORDS = (BINS + 31u) / 32u;
/// Threads that walk the digits: one, unless it would take long.
const WALKERS = select(1u, BINS / 64u, BINS > 1024u);
const WALK = BINS / WALKERS;

var<workgroup> item_bits: array<atomic<u32>, ITEM_WORDS>;  // a bit for each digit with which an item begins
var<workgroup> one_digit: u32;                             // 1: all entries have one digit

/// Marks the items of a bucket of `size` entries from its scanned bins. Every thread calls it; it ends with a barrier.
/// An item ends at the latest where another walker's digits begin.
fn list_items(thread: u32, size: u32) {
  for (var w = thread; w < ITEM_WORDS; w += THREADS) { atomicStore(&item_bits[w], 0u); }
  if (thread == 0u) { one_digit = 0u; }
  workgroupBarrier();
  for (var w = thread; w < WALKERS; w += THREADS) {
    var open = 0u;        // entries in the last item, which may still grow
    var begin = bin_begin(w * WALK, size);
    for (var digit = w * WALK; digit < (w + 1u) * WALK; digit++) {
      let end = bin_begin(digit + 1u, size);
      let count = end - begin;
      if (count == size) { one_digit = 1u; }
      if (count != 0u) {
        if (open == 0u || open + count > TILE) {
          atomicOr(&item_bits[digit >> 5u], 1u << (digit & 31u));
          open = count;
        } else {
          open += count;
        }
      }
      begin = end;
    }
  }
  workgroupBarrier();
}

fn begins_item(digit: u32) -> bool {
  return (atomicLoad(&item_bits[digit >> 5u]) & (1u << (digit & 31u))) != 0u;
}

/// Where the item that begins with `digit` ends in a bucket of `size` entries.
fn item_end(digit: u32, size: u32) -> u32 {
  var word = digit >> 5u;
  var bits = atomicLoad(&item_bits[word]) & ~(0xffffffffu >> (31u - (digit & 31u)));
  while (bits == 0u && word + 1u < ITEM_WORDS) {
    word++;
    bits = atomicLoad(&item_bits[word]);
  }
  if (bits == 0u) { return size; }
  return bin_begin(32u * word + countTrailingZeros(bits), size);
}
