//! needs: strings/msd-radix/items
// MSD radix sort: the first bucket, all n entries on side 0, with its digit at bit 0.
//   -> state (level 0), and bigs[0] with tiles[] and its counters[0], or middles[0], or, if the entries fit a tile,
//   ranges[0]. One workgroup. If `im.counted`, strings/radix-refine/record-keys.wgsl has filled the counters, which
//   stay.
// Writes a few words, and the counters of one bucket.

struct Immediates { n: u32, most_middle: u32, counted: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> state: array<u32>;
@group(0) @binding(1) var<storage, read_write> bigs: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> tiles: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> middles: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> ranges: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> counters: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
  let tile_count = (im.n + TILE - 1u) / TILE;
  let whole = vec4u(0u, im.n, where_of(0u, 0u), 0u);
  if (im.n <= TILE) {
    if (thread == 0u) { ranges[0] = whole; state[RANGE_COUNT] = 1u; }
  } else if (im.n <= im.most_middle) {
    if (thread == 0u) { middles[0] = whole; state[level_word(0u, MIDDLES)] = 1u; }
  } else {
    if (thread == 0u) {
      bigs[0] = whole;
      state[level_word(0u, BIGS)] = 1u;
      state[level_word(0u, TILES)] = tile_count;
    }
    for (var t = thread; t < tile_count; t += THREADS) { tiles[t] = vec2u(0u, t * TILE); }
    if (im.counted == 0u) {
      for (var b = thread; b < BINS + 3u; b += THREADS) { counters[b] = 0u; }
    }
  }
}
