//! needs: shared/launch, strings/compare, shared/run-pairs
// Merge pass, step 1 of 2: where each output tile's inputs begin in the two runs it merges.
//   keys[n], tags[n] in sorted runs, with text, starts and depths for ties, pairs -> partitions[tiles]
//   (shared/run-pairs.wgsl); one thread per tile, workgroups of 64.
//   1. Each thread finds its tile's pair of runs.
//   2. A binary search along the tile's first diagonal finds how many of the outputs before the tile come from A.
// Bytes moved per tile: about 2 log2(width) times 12 read, 16 written.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2.1, algorithm 1.

struct Immediates {
  depth: u32, key_bytes: u32, tie_bytes: u32, grouped: u32,
  n: u32, tiles: u32, tile: u32, width: u32, group_base: u32, group_count: u32,
}
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read> tags: array<u32>;
@group(0) @binding(5) var<storage, read> groups: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> partitions: array<vec4u>;

fn entry_at(i: u32) -> Entry {
  let key = keys[i];
  return Entry(key.x, key.y, tags[i]);
}

fn more_from_a(pair: vec4u, diagonal: u32, from_a: u32) -> bool {
  return !entry_before(entry_at(pair.z + diagonal - 1u - from_a), entry_at(pair.y + from_a));
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid) * 64u + thread;
  if (tile >= im.tiles) { return; }
  search_alone(tile);
  set_text_reads(tile, thread_text_reads());
}
