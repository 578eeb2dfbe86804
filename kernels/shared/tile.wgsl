//! needs: compare
// A tile of entries in workgroup memory, and merging inside it by merge path (Green, McColl, Bader 2012, section 3): each thread
// finds by a search along its diagonal where its eight outputs begin, then merges them one after another (Davidson et al.
// 2012, section 3: a binary search for the first, linear steps for the rest).
// The host prepends `const TILE`, entries a tile, a power of two from 64; 12 bytes each, 12 KiB for 1,024.

const PER_THREAD = 8u;
const THREADS = TILE / PER_THREAD;

var<workgroup> tile_high: array<u32, TILE>;
var<workgroup> tile_low: array<u32, TILE>;
var<workgroup> tile_tag: array<u32, TILE>;

/// Where entry i lies: turned so that both neighbouring entries and entries eight apart fall into different banks.
fn tile_slot(i: u32) -> u32 {
  return (i ^ ((i >> 5u) & 7u)) & (TILE - 1u);
}

fn tile_get(i: u32) -> Entry {
  let slot = tile_slot(i);
  return Entry(tile_high[slot], tile_low[slot], tile_tag[slot]);
}

fn tile_put(i: u32, entry: Entry) {
  let slot = tile_slot(i);
  tile_high[slot] = entry.high;
  tile_low[slot] = entry.low;
  tile_tag[slot] = entry.tag;
}

/// How many of the first `diagonal` outputs of merging tile entries [a, a + a_count) and [b, b + b_count) come from the former.
fn tile_search(a: u32, a_count: u32, b: u32, b_count: u32, diagonal: u32) -> u32 {
  var low = select(0u, diagonal - b_count, diagonal > b_count);
  var high = min(diagonal, a_count);
  while (low < high) {
    let middle = (low + high) >> 1u;
    if (entry_before(tile_get(b + diagonal - 1u - middle), tile_get(a + middle))) { high = middle; } else { low = middle + 1u; }
  }
  return low;
}

/// The next eight entries of merging tile entries [a, a_end) and [b, b_end); what follows the ends of both is undefined.
fn tile_merge(a: u32, a_end: u32, b: u32, b_end: u32) -> array<Entry, PER_THREAD> {
  var merged: array<Entry, PER_THREAD>;
  var next_a = a;
  var next_b = b;
  var x = tile_get(next_a);
  var y = tile_get(next_b);
  for (var i = 0u; i < PER_THREAD; i++) {
    if (next_b >= b_end || (next_a < a_end && entry_before(x, y))) {
      merged[i] = x;
      next_a++;
      x = tile_get(next_a);
    } else {
      merged[i] = y;
      next_b++;
      y = tile_get(next_b);
    }
  }
  return merged;
}
