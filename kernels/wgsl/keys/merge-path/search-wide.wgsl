//! needs: keys/merge-path/diagonal-rounds
// Merge pass, step 1 of 2, by a binary search as wide as a workgroup: where each output tile's inputs begin.
//   keys[n] in sorted runs, pairs -> partitions[tiles] (shared/run-pairs.wgsl); one workgroup of 32 threads per tile.
//   1. The workgroup finds the tile's pair of runs.
//   2. In rounds: the threads compare 32 adjacent points in the middle of the rest of the diagonal, with coalesced
//      reads. If the path crosses the diagonal among them, one thread sees it and the search ends; else the half before
//      or after remains.
// Bytes moved per tile: 64 keys for each of log2(run length) - 5 rounds read, 16 written.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2.2, approach 1 (w-wide binary search).

fn narrowed(thread: u32, pair: vec4u, diagonal: u32, range: vec2u) -> vec2u {
  let left = range.y - range.x;
  let window = range.x + select(0u, (left - SEARCH_THREADS) >> 1u, left > SEARCH_THREADS);
  let window_end = min(window + SEARCH_THREADS, range.y);
  let point = window + thread;
  var more = false;
  if (point < window_end) { more = more_from_a(pair, diagonal, point); }
  let found = window + workgroup_crossing(thread, more);
  if (found == window) { return vec2u(range.x, window); }
  if (found == window_end) { return vec2u(window_end, range.y); }
  return vec2u(found, found);
}

@compute @workgroup_size(SEARCH_THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile < im.tiles) { search_tile(thread, tile); }
}
