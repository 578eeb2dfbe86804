//! needs: shared/launch, records/scan/scan-words
// Scan, step 3 of 3: the exclusive scan of each tile, from the tile's prefix sum, in place; the total goes to data[n].
//   data[n], sums[tiles + 1] -> data[n + 1]; one workgroup of 256 threads per tile of 2,048 words.
// Bytes moved per word: 4 read, 4 written.

struct Immediates { n: u32, tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read> sums: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  scan_words(thread, tile * (THREADS * WORDS), sums[tile]);
  if (tile == im.tiles - 1u && thread == 0u) { data[im.n] = sums[im.tiles]; }
}
