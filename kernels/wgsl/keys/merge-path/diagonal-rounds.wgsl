//! needs: shared/launch, keys/merge-path/merge-diagonals, keys/merge-path/crossing
// A diagonal search by a whole workgroup: each round narrows the range of how many outputs before a tile come from A.
// A kernel that includes this file declares
//   fn narrowed(thread, pair, diagonal, range) -> vec2u    the range (low, high) after one round; all threads call it

fn search_tile(thread: u32, tile: u32) {
  let pair = pair_of(tile);
  let diagonal = (tile - pair.x) * im.tile;
  var range = diagonal_range(pair, diagonal);
  // The constant bound saves the compiler's guard against endless loops.
  for (var round = 0u; round < 32u; round++) {
    if (range.x >= range.y) { break; }
    range = narrowed(thread, pair, diagonal, range);
  }
  if (thread == 0u) { put_partition(tile, pair, diagonal, range.x); }
}
