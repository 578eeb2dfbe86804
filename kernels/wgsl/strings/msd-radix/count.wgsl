//! needs: shared/launch, strings/msd-radix/entries, strings/msd-radix/items
// MSD radix sort, big buckets, step 1 of 3: counting.
//   entries, bigs[], tiles[] = (bucket, first entry), state -> counters[bucket] (added to): the entries of each digit;
//   then, in three words, the bits in which its entries differ. One workgroup of TILE / 8 threads per tile.
// Bytes moved per entry: 12 read; atomics per tile: one for each of its digits.
// Source: Drozd and Matsuoka, MSD Radix String Sort on GPU, section 3 (counting with atomics, no reduction).

struct Immediates { level: u32 }
var<immediate> im: Immediates;

@group(0) @binding(4) var<storage, read> bigs: array<vec4u>;
@group(0) @binding(5) var<storage, read> tiles: array<vec2u>;
@group(0) @binding(6) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read> state: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let number = workgroup_number(id, grid);
  if (number >= state[level_word(im.level, TILES)]) { return; }
  let tile = tiles[number];
  let bucket = bigs[tile.x];
  let side = side_of(bucket.z);
  let end = min(bucket.y, tile.y + TILE);
  let first = load_entry(side, bucket.x);
  clear_bins(thread);
  workgroupBarrier();
  var high = 0u;
  var low = 0u;
  var tag = 0u;
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = tile.y + k * THREADS + thread;
    if (i < end) {
      let entry = load_entry(side, i);
      atomicAdd(&bins[digit_of(entry, bucket.z & AT_MASK) & (BINS - 1u)], 1u);
      high |= entry.high ^ first.high;
      low |= entry.low ^ first.low;
      tag |= entry.tag ^ first.tag;
    }
  }
  note_differing(high, low, tag);
  workgroupBarrier();
  let row = tile.x * (BINS + 3u);
  for (var b = thread; b < BINS; b += THREADS) {
    let count = atomicLoad(&bins[b & (BINS - 1u)]);
    if (count != 0u) { atomicAdd(&counters[row + b], count); }
  }
  if (thread < 3u) {
    let bits = atomicLoad(&differing[thread]);
    if ((bits & ~atomicLoad(&counters[row + BINS + thread])) != 0u) { atomicOr(&counters[row + BINS + thread], bits); }
  }
}
