//! needs: keys/eight-moves
// A tile of encoded keys and values in workgroup memory, eight adjacent ones per thread, and the merge of two lists.
// Only one segment may mix in it: the one that spans the border between the lists (Baxter: Segmented Sort and Locality
// Sort, "Segmented blocksort": SegmentedMergePath and SegmentedSerialMerge).
// The host prepends `const TILE`, keys per tile, a power of two from 64;
// a kernel also needs values-{VALUES} or value-sides-{VALUES}.

const PER_THREAD = 8u;
const THREADS = TILE / PER_THREAD;
const TILE_VALUES = TILE;

var<workgroup> tile_keys: array<Key, TILE>;

/// The slot of item i: both adjacent items and items eight apart are in different banks.
fn tile_slot(i: u32) -> u32 {
  return (i ^ ((i >> 5u) & 7u)) & (TILE - 1u);
}

fn tile_key(i: u32) -> Key {
  return tile_keys[tile_slot(i)];
}

fn tile_get(i: u32) -> Pair {
  let slot = tile_slot(i);
  return Pair(tile_keys[slot], tile_value(slot));
}

fn tile_put(i: u32, pair: Pair) {
  let slot = tile_slot(i);
  tile_keys[slot] = pair.key;
  put_tile_value(slot, pair.value);
}

/// How many of the first `diagonal` outputs of merging tile items [a, a + a_count) and [b, b + b_count), all of one
/// segment, come from the former.
fn tile_search(a: u32, a_count: u32, b: u32, b_count: u32, diagonal: u32) -> u32 {
  var low = select(0u, diagonal - b_count, diagonal > b_count);
  var high = min(diagonal, a_count);
  // The constant bound saves the compiler's guard against endless loops.
  for (var round = 0u; round < 16u; round++) {
    if (low >= high) { break; }
    let middle = (low + high) >> 1u;
    if (key_before(tile_key(b + diagonal - 1u - middle), tile_key(a + middle))) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  return low;
}

/// The state of a merge of tile items [a, a_end) and [b, ...). Items from `mixed_from` of the former and up to
/// `mixed_end` of the latter may mix; those before come first, those after come last.
struct Merger { a: u32, b: u32, a_key: Key, b_key: Key, a_end: u32, mixed_from: u32, mixed_end: u32 }

fn tile_merger(a: u32, b: u32, a_end: u32, mixed_from: u32, mixed_end: u32) -> Merger {
  return Merger(a, b, tile_key(a), tile_key(b), a_end, mixed_from, mixed_end);
}

/// The next output; equal keys of the former list come first.
fn merge_next(merger: ptr<function, Merger>) -> Pair {
  let m = *merger;
  // No branches, so that threads do not diverge.
  let from_b = (m.a >= m.a_end) | ((m.b < m.mixed_end) & (m.a >= m.mixed_from) & key_before(m.b_key, m.a_key));
  let source = select(m.a, m.b, from_b);
  let pair = Pair(select(m.a_key, m.b_key, from_b), tile_value(tile_slot(source)));
  // One load serves whichever list advances.
  let next = tile_key(source + 1u);
  (*merger).a = select(source + 1u, m.a, from_b);
  (*merger).b = select(m.b, source + 1u, from_b);
  (*merger).a_key = select(next, m.a_key, from_b);
  (*merger).b_key = select(m.b_key, next, from_b);
  return pair;
}

/// The next eight outputs.
fn merged_eight(begin: Merger) -> Eight {
  var m = begin;
  return Eight(merge_next(&m), merge_next(&m), merge_next(&m), merge_next(&m),
    merge_next(&m), merge_next(&m), merge_next(&m), merge_next(&m));
}
