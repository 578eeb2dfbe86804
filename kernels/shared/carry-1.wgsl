// A value of one word with each key, moved after the keys and through the same workgroup memory (tile-1, -2 or -4.wgsl). A kernel that
// needs this declares
//   const VALUES_BINDING      binding of the values that are read; those that are written have the next one
//   im.n                      how many values there are

@group(0) @binding(VALUES_BINDING) var<storage, read> values: array<u32>;
@group(0) @binding(VALUES_BINDING + 1u) var<storage, read_write> sorted_values: array<u32>;

/// Puts value i to a place of the tile.
fn place_value(i: u32, place: u32) {
  if (i < im.n) { tile_words[place] = values[i]; }
}

/// Writes what is at place i of the tile.
fn write_value(i: u32, place: u32) { sorted_values[place] = tile_words[i]; }
