//! needs: launch, merge-diagonals, crossing
// Merge pass, step 1 of 2, by dividing the diagonal: where each output tile's inputs begin in the two runs that it merges.
//   keys[n] in sorted runs, pairs -> parts[tiles] as search-binary.wgsl has them; one workgroup of 32 threads a tile.
//   1. The tile's pair of runs.
//   2. In rounds: what is left of the diagonal is divided into 32 equal parts, each thread compares at the end of its own, and the
//      part that the path crosses is left.
// Bytes moved a tile: 64 keys, each from a place of its own, for each of log2(run length) / 5 rounds; 16 written.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2.2, approach 3 (w-partition search).

@compute @workgroup_size(SEARCH_THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  let pair = pair_of(tile);
  let diagonal = (tile - pair.x) * im.tile;
  let range = diagonal_range(pair, diagonal);
  var low = range.x;
  var high = range.y;
  // A bound that the compiler sees spares a counter against endless loops.
  for (var round = 0u; round < 32u; round++) {
    if (low >= high) { break; }
    let step = (high - low + SEARCH_THREADS - 1u) / SEARCH_THREADS;
    let point = low + (thread + 1u) * step - 1u;
    var more = false;
    if (point < high) { more = more_from_a(pair, diagonal, point); }
    let before = low + workgroup_crossing(thread, more) * step;
    // At the part's last point, if it was looked at, the answer was no.
    high = min(high, before + step - 1u);
    low = before;
  }
  if (thread == 0u) { put_part(tile, pair, diagonal, low); }
}
