//! needs: keys/eight-pairs
// Moves eight pairs between a tile in workgroup memory and registers. A kernel that includes this file declares
//   fn tile_get(i) -> Pair, fn tile_put(i, pair)      read and write pair i of the tile

/// Pairs `first`, `first + apart`, ... of the tile.
fn get_eight(first: u32, apart: u32) -> Eight {
  return Eight(tile_get(first), tile_get(first + apart), tile_get(first + 2u * apart), tile_get(first + 3u * apart),
    tile_get(first + 4u * apart), tile_get(first + 5u * apart), tile_get(first + 6u * apart),
    tile_get(first + 7u * apart));
}

/// Writes pairs `first`, `first + apart`, ... of the tile.
fn put_eight(first: u32, apart: u32, eight: Eight) {
  tile_put(first, eight.p0);
  tile_put(first + apart, eight.p1);
  tile_put(first + 2u * apart, eight.p2);
  tile_put(first + 3u * apart, eight.p3);
  tile_put(first + 4u * apart, eight.p4);
  tile_put(first + 5u * apart, eight.p5);
  tile_put(first + 6u * apart, eight.p6);
  tile_put(first + 7u * apart, eight.p7);
}
