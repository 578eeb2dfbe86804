//! needs: shared/launch, strings/msd-radix/entries, strings/msd-radix/items
// MSD radix sort, ranges that fit a tile: sorted in workgroup memory.
//   entries, ranges[] = (begin, end, where, 0) -> the entries of each range in order, on side 0. state[1] is set if
//   records of equal keys continue. One workgroup of TILE / 8 threads per range; here DIGIT_BITS make TILE / 2 digits.
//   1. The range is grouped by the digit that begins at the first bit in which its entries differ.
//   2. If no digit has many entries, each entry counts the entries of its digit that come before it.
//   3. Otherwise (equal or nearly equal keys) a bitonic sort orders the whole range; padding comes last.
// Bytes moved per entry: 12 read, 12 written.
// Source: Drozd and Matsuoka, section 3 (small buckets), with Batcher's bitonic network (1968) for uneven buckets.

struct Immediates { ranges: u32 }
var<immediate> im: Immediates;

@group(0) @binding(4) var<storage, read> ranges: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> state: array<atomic<u32>>;

/// The most entries of a digit that are ordered by counting: each compares with all others.
override RANK_LIMIT: u32 = 48u;

var<workgroup> largest: atomic<u32>;
var<workgroup> largest_known: u32;
var<workgroup> tied: atomic<u32>;

fn before(a: Entry, b: Entry) -> bool {
  if (a.high != b.high) { return a.high < b.high; }
  if (a.low != b.low) { return a.low < b.low; }
  return a.tag < b.tag;
}

fn continues(entry: Entry) -> bool {
  return (entry.low & atomicLoad(&state[END_MASK])) != atomicLoad(&state[END_VALUE]);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let number = workgroup_number(id, grid);
  if (number >= im.ranges) { return; }
  let range = ranges[number];
  let count = range.y - range.x;
  if (thread == 0u) { atomicStore(&largest, 0u); atomicStore(&tied, 0u); }
  // Entries of one key can be in several ranges only if a digit has reached the tag.
  let parted = (range.z & AT_MASK) > TAG_BIT;
  let at = arrange(thread, side_of(range.z), range.x, count, WHERE_THEY_DIFFER);
  for (var b = thread; b < BINS; b += THREADS) {
    let own = bin_begin(b + 1u, count) - bin_begin(b, count);
    if (own > atomicLoad(&largest)) { atomicMax(&largest, own); }
  }
  workgroupBarrier();
  if (thread == 0u) { largest_known = atomicLoad(&largest); }
  var unsettled = false;
  if (workgroupUniformLoad(&largest_known) <= RANK_LIMIT) {
    for (var k = 0u; k < PER_THREAD; k++) {
      let i = thread + k * THREADS;
      if (i < count) {
        let entry = tile_get(i);
        let digit = digit_of(entry, at);
        let begin = bin_begin(digit, count);
        let end = bin_begin(digit + 1u, count);
        var place = begin;
        var equals = 0u;  // itself included
        for (var j = begin; j < end; j++) {
          let other = tile_get(j);
          if (before(other, entry)) { place++; }
          if (other.high == entry.high && other.low == entry.low) { equals++; }
        }
        if ((equals > 1u || parted) && continues(entry)) { unsettled = true; }
        store_entry(0u, range.x + place, entry);
      }
    }
  } else {
    var width = 2u;
    while (width < count) { width <<= 1u; }
    for (var i = count + thread; i < width; i += THREADS) { tile_put(i, PADDING); }
    workgroupBarrier();
    for (var size = 2u; size <= width; size <<= 1u) {
      for (var stride = size >> 1u; stride > 0u; stride >>= 1u) {
        for (var c = thread; c < width / 2u; c += THREADS) {
          let i = ((c & ~(stride - 1u)) << 1u) | (c & (stride - 1u));
          let x = tile_get(i);
          let y = tile_get(i | stride);
          if (before(y, x) == ((i & size) == 0u)) {
            tile_put(i, y);
            tile_put(i | stride, x);
          }
        }
        workgroupBarrier();
      }
    }
    for (var k = 0u; k < PER_THREAD; k++) {
      let i = thread + k * THREADS;
      if (i < count) {
        let entry = tile_get(i);
        var equal = parted;
        if (i > 0u) {
          let other = tile_get(i - 1u);
          equal = equal || (other.high == entry.high && other.low == entry.low);
        }
        if (equal && continues(entry)) { unsettled = true; }
        store_entry(0u, range.x + i, entry);
      }
    }
  }
  if (unsettled && atomicLoad(&tied) == 0u) { atomicStore(&tied, 1u); }
  workgroupBarrier();
  if (thread == 0u && atomicLoad(&tied) != 0u) { atomicStore(&state[UNRESOLVED_FLAG], 1u); }
}
