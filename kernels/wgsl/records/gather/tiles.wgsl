//! needs: shared/launch
// Gather, step 2: the record that contains the first byte of each output tile.
//   out_starts[n + 1] -> first[tiles]; one thread per tile, workgroups of 256: a binary search.
// Separate from step 3 so that all searches wait for memory in parallel. Reads log2(n) words per tile.

struct Immediates { n: u32, tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> out_starts: array<u32>;
@group(0) @binding(1) var<storage, read_write> first: array<u32>;

const TILE_BYTES = 8192u;  // as in text.wgsl

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid) * 256u + thread;
  if (tile >= im.tiles) { return; }
  let byte = tile * TILE_BYTES;
  // The last record that begins at or before the byte is in [low, high).
  var low = 0u;
  var high = im.n;
  while (high - low > 1u) {
    let middle = low + (high - low) / 2u;
    if (out_starts[middle] <= byte) { low = middle; } else { high = middle; }
  }
  first[tile] = low;
}
