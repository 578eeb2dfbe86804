//! needs: strings/compare
// A tile of entries in workgroup memory, and merging in it by merge path (Green, McColl, Bader 2012, section 2.3). Each
// thread searches its diagonal for where its eight outputs begin, then merges them one by one (Davidson et al. 2012,
// section 3: a binary search for the first, linear steps for the rest).
// A merge notes the source of each output instead of moving entries. Its loop then has no arrays in registers and needs
// no unrolling, so the comparison, itself a loop, is compiled once.
// The host prepends `const TILE`, entries per tile, a power of two from 64; 16 bytes each, 16 KiB for 1,024.

const PER_THREAD = 8u;
const THREADS = TILE / PER_THREAD;

var<workgroup> tile_high: array<u32, TILE>;
var<workgroup> tile_low: array<u32, TILE>;
var<workgroup> tile_tag: array<u32, TILE>;
var<workgroup> tile_source: array<u32, TILE>;  // the source of output i

/// The slot of entry i: both adjacent entries and entries eight apart are in different banks.
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

/// How many of the first `diagonal` outputs of merging tile entries [a, a + a_count) and [b, b + b_count) come
/// from the former.
fn tile_search(a: u32, a_count: u32, b: u32, b_count: u32, diagonal: u32) -> u32 {
  var low = select(0u, diagonal - b_count, diagonal > b_count);
  var high = min(diagonal, a_count);
  while (low < high) {
    let middle = (low + high) >> 1u;
    if (entry_before(tile_get(b + diagonal - 1u - middle), tile_get(a + middle))) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  return low;
}

/// Notes in tile_source[output ...] the sources of the next `count` outputs of merging tile entries [a, a_end)
/// and [b, b_end).
fn tile_merge(a: u32, a_end: u32, b: u32, b_end: u32, output: u32, count: u32) {
  var next_a = a;
  var next_b = b;
  var x = tile_get(next_a);
  var y = tile_get(next_b);
  for (var i = 0u; i < count; i++) {
    let slot = tile_slot(output + i);
    if (next_b >= b_end || (next_a < a_end && entry_before(x, y))) {
      tile_source[slot] = next_a;
      next_a++;
      x = tile_get(next_a);
    } else {
      tile_source[slot] = next_b;
      next_b++;
      y = tile_get(next_b);
    }
  }
}

/// How many comparisons of this workgroup read the text; 0 if they are not counted. All threads call it, after the last
/// use of tile_source.
fn tile_text_reads(thread: u32) -> u32 {
  if (COUNT_TEXT_READS == 0u) { return 0u; }
  workgroupBarrier();
  tile_source[thread] = thread_text_reads();
  for (var width = THREADS >> 1u; width > 0u; width >>= 1u) {
    workgroupBarrier();
    if (thread < width) { tile_source[thread] += tile_source[thread + width]; }
  }
  workgroupBarrier();
  return tile_source[0];
}

/// The entry that becomes output i.
fn tile_output(i: u32) -> Entry {
  return tile_get(tile_source[tile_slot(i)]);
}
