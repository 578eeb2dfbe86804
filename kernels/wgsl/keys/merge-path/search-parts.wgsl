//! needs: keys/merge-path/diagonal-rounds
// Merge pass, step 1 of 2, by dividing the diagonal: where each output tile's inputs begin in the two runs it merges.
//   keys[n] in sorted runs, pairs -> partitions[tiles] (shared/run-pairs.wgsl); one workgroup of 32 threads per tile.
//   1. The workgroup finds the tile's pair of runs.
//   2. In rounds: the rest of the diagonal is divided into 32 equal parts, each thread compares at the end of its part,
//      and the part that the path crosses remains.
// Bytes moved per tile: 64 keys, each from another address, for each of log2(run length) / 5 rounds; 16 written.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2.2, approach 3 (w-partition search).

fn narrowed(thread: u32, pair: vec4u, diagonal: u32, range: vec2u) -> vec2u {
  let step = (range.y - range.x + SEARCH_THREADS - 1u) / SEARCH_THREADS;
  let point = range.x + (thread + 1u) * step - 1u;
  var more = false;
  if (point < range.y) { more = more_from_a(pair, diagonal, point); }
  let low = range.x + workgroup_crossing(thread, more) * step;
  // The last point of the part, if compared, is past the crossing.
  return vec2u(low, min(range.y, low + step - 1u));
}

@compute @workgroup_size(SEARCH_THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile < im.tiles) { search_tile(thread, tile); }
}
