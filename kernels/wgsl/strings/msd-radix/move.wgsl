//! needs: shared/launch, strings/msd-radix/entries, strings/msd-radix/items
// MSD radix sort, big buckets, step 3 of 3: moving.
//   entries, bigs[], tiles[], state, counters[bucket] (offsets.wgsl) -> entries on the other side; one workgroup of
//   TILE / 8 threads per tile. If im.chosen, it does nothing unless state says that the first digit has this kernel's
//   width.
//   1. The workgroup groups its tile by digit in workgroup memory.
//   2. It claims room for each digit's entries with one atomic addition per digit.
//   3. It writes entries contiguously, digit by digit. The entries of a digit come in any order:
//      the tag is the last digit.
// Bytes moved per entry: 12 read, 12 written.
// Source: Drozd and Matsuoka, section 3 (moving with atomics), by tiles so that writes are contiguous.

struct Immediates { level: u32, chosen: u32 }
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
  if (im.chosen != 0u && state[FIRST_DIGIT] != DIGIT_BITS) { return; }
  let tile = tiles[number];
  let bucket = bigs[tile.x];
  if ((bucket.z & SETTLED) != 0u) { return; }
  let at = bucket.z & AT_MASK;
  let side = side_of(bucket.z);
  let count = min(bucket.y - tile.y, TILE);
  arrange(thread, side, tile.y, count, at);
  let row = tile.x * (BINS + 3u);
  // Where each digit's entries go takes the place of where they begin, once all threads have read that: two arrays
  // would not fit with digits of 12 bits.
  var places: array<u32, BINS_PER_THREAD>;
  for (var k = 0u; k < BINS_PER_THREAD; k++) {
    let b = thread + k * THREADS;
    if (b < BINS) {
      let begin = bin_begin(b, count);
      let own = bin_begin(b + 1u, count) - begin;
      if (own != 0u) { places[k] = atomicAdd(&counters[row + b], own) - begin; }
    }
  }
  workgroupBarrier();
  for (var k = 0u; k < BINS_PER_THREAD; k++) {
    let b = thread + k * THREADS;
    if (b < BINS) { atomicStore(&bins[b & (BINS - 1u)], places[k]); }
  }
  workgroupBarrier();
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    if (i < count) {
      let entry = tile_get(i);
      store_entry(1u - side, atomicLoad(&bins[digit_of(entry, at) & (BINS - 1u)]) + i, entry);
    }
  }
}
