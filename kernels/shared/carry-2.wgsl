// A value of one word with each key, moved with the keys, in workgroup memory of its own. A kernel that needs this declares
//   const VALUES_BINDING      binding of the values that are read; those that are written have the next one
//   const TILE                how many the workgroup holds
//   im.n                      how many values there are

@group(0) @binding(VALUES_BINDING) var<storage, read> values: array<u32>;
@group(0) @binding(VALUES_BINDING + 1u) var<storage, read_write> sorted_values: array<u32>;

var<workgroup> tile_values: array<u32, TILE>;

/// Value i, past the end any: without a branch, so that loads do not wait for each other.
fn value_at(i: u32) -> u32 { return values[min(i, im.n - 1u)]; }

fn place_value(place: u32, value: u32) { tile_values[place] = value; }

/// The value at place i of the tile.
fn placed_value(i: u32) -> u32 { return tile_values[i]; }

fn write_value(goal: u32, value: u32) { sorted_values[goal] = value; }
