//! needs: launch, merge-diagonals, crossing
// What the diagonal searches by a whole workgroup share: rounds that narrow down how many of the outputs before a tile come from A. A
// kernel that needs this declares
//   fn narrowed(thread, pair, diagonal, range) -> vec2u    what one round leaves of the range (low, high); all threads call it

fn search_tile(thread: u32, tile: u32) {
  let pair = pair_of(tile);
  let diagonal = (tile - pair.x) * im.tile;
  var range = diagonal_range(pair, diagonal);
  // A bound that the compiler sees spares a counter against endless loops.
  for (var round = 0u; round < 32u; round++) {
    if (range.x >= range.y) { break; }
    range = narrowed(thread, pair, diagonal, range);
  }
  if (thread == 0u) { put_part(tile, pair, diagonal, range.x); }
}
