// Finds the pair of runs of an output tile in a merge pass, and where the tile's inputs begin in them. The runs to
// merge are adjacent: A = [begin, middle), B = [middle, end). A kernel that includes this file declares
//   var<storage, read> groups: array<vec4u>;         (first tile, begin, middle, end) of each pair, for runs
//                                                   of any length
//   var<storage, read_write> partitions: array<vec4u>;   (first of A, first of B, middle, end) of each tile; its
//                                                   inputs end where those of the pair's next tile begin
//   var<immediate> im with n, tile (outputs per tile), width (of all runs but the last, which may be shorter;
//                              0: use the table), group_base and group_count (the pass's part of the table)
//   fn more_from_a(pair, diagonal, from_a) -> bool  whether the first `diagonal` outputs of a pair have more than
//                                                   `from_a` from A: true for small numbers, then false

fn pair_of(tile: u32) -> vec4u {
  if (im.width != 0u) {
    let pair_tiles = (2u * im.width + im.tile - 1u) / im.tile;
    let pair = tile / pair_tiles;
    let begin = pair * 2u * im.width;
    return vec4u(pair * pair_tiles, begin, min(begin + im.width, im.n), min(begin + 2u * im.width, im.n));
  }
  var low = 0u;
  var high = im.group_count - 1u;
  while (low < high) {
    let middle = (low + high + 1u) >> 1u;
    if (groups[im.group_base + middle].x <= tile) { low = middle; } else { high = middle - 1u; }
  }
  return groups[im.group_base + low];
}

/// The least and the most outputs from A among the first `diagonal` outputs of a pair.
fn diagonal_range(pair: vec4u, diagonal: u32) -> vec2u {
  let b_count = pair.w - pair.z;
  return vec2u(select(0u, diagonal - b_count, diagonal > b_count), min(diagonal, pair.z - pair.y));
}

/// Stores where a tile's inputs begin.
fn put_partition(tile: u32, pair: vec4u, diagonal: u32, from_a: u32) {
  partitions[tile] = vec4u(pair.y + from_a, pair.z + diagonal - from_a, pair.z, pair.w);
}

/// Finds where a tile's inputs begin by binary search along its first diagonal (Green, McColl,
/// Bader 2012, algorithm 1).
fn search_alone(tile: u32) {
  let pair = pair_of(tile);
  let diagonal = (tile - pair.x) * im.tile;
  let range = diagonal_range(pair, diagonal);
  var low = range.x;
  var high = range.y;
  // The constant bound saves the compiler's guard against endless loops.
  for (var round = 0u; round < 32u; round++) {
    if (low >= high) { break; }
    let middle = (low + high) >> 1u;
    if (more_from_a(pair, diagonal, middle)) { low = middle + 1u; } else { high = middle; }
  }
  put_partition(tile, pair, diagonal, low);
}
