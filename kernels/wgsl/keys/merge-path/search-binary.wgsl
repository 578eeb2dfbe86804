//! needs: shared/launch, keys/merge-path/merge-diagonals
// Merge pass, step 1 of 2, by a plain binary search: where each output tile's inputs begin in the two runs it merges.
//   keys[n] in sorted runs, pairs -> partitions[tiles] (shared/run-pairs.wgsl); one thread per tile, workgroups of 64.
//   1. Each thread finds its tile's pair of runs.
//   2. A binary search along the tile's first diagonal finds how many of the outputs before the tile come from A.
// Bytes moved per tile: two keys for each of log2(run length) dependent steps read, 16 written.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2.2, approach 2 and algorithm 1.

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid) * 64u + thread;
  if (tile < im.tiles) { search_alone(tile); }
}
