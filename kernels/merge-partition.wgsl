//! needs: launch, compare
// Merge pass, step 1 of 2: where each output tile's inputs begin in the two runs that it merges.
//   keys[n], tags[n] in sorted runs, with text, starts and depths for ties -> parts[tiles]; one thread a tile, workgroups of 64.
//   Runs to be merged lie side by side: A = [begin, middle), B = [middle, end).
//   1. The tile's pair of runs: by arithmetic where all runs are `width` long (TILE times a power of two; the last may be
//      shorter), else (width = 0) by binary search in pairs[pair_base .. + pair_count) of (first tile, begin, middle, end).
//   2. A binary search along the tile's first diagonal: how many of the outputs before it come from A.
//   parts[tile] = (first of A, first of B, middle, end); the inputs end where those of the pair's next tile begin.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 3, algorithm 1. About 2 log2(width) reads of 12 bytes a tile.

struct Immediates {
  depth: u32, key_bytes: u32, tie_bytes: u32, grouped: u32,
  n: u32, tiles: u32, tile: u32, width: u32, pair_base: u32, pair_count: u32,
}
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read> tags: array<u32>;
@group(0) @binding(5) var<storage, read> pairs: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> parts: array<vec4u>;

/// (first tile, begin, middle, end) of the pair of runs that a tile belongs to.
fn pair_of(tile: u32) -> vec4u {
  if (im.width != 0u) {
    let begin = (tile * im.tile) & ~(2u * im.width - 1u);
    return vec4u(begin / im.tile, begin, min(begin + im.width, im.n), min(begin + 2u * im.width, im.n));
  }
  var low = 0u;
  var high = im.pair_count - 1u;
  while (low < high) {
    let middle = (low + high + 1u) >> 1u;
    if (pairs[im.pair_base + middle].x <= tile) { low = middle; } else { high = middle - 1u; }
  }
  return pairs[im.pair_base + low];
}

fn entry_at(i: u32) -> Entry {
  let key = keys[i];
  return Entry(key.x, key.y, tags[i]);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid) * 64u + thread;
  if (tile >= im.tiles) { return; }
  let pair = pair_of(tile);
  let diagonal = (tile - pair.x) * im.tile;
  let b_count = pair.w - pair.z;
  var low = select(0u, diagonal - b_count, diagonal > b_count);
  var high = min(diagonal, pair.z - pair.y);
  while (low < high) {
    let middle = (low + high) >> 1u;
    if (entry_before(entry_at(pair.z + diagonal - 1u - middle), entry_at(pair.y + middle))) { high = middle; } else { low = middle + 1u; }
  }
  parts[tile] = vec4u(pair.y + low, pair.z + diagonal - low, pair.z, pair.w);
  set_text_reads(tile, thread_text_reads());
}
