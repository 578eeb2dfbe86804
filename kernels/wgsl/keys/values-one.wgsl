// A one-word value for each key. A kernel that includes this file declares
//   const VALUES_BINDING      binding of the values read; the values written take the next binding
//   const TILE_VALUES         the number of values in workgroup memory

@group(0) @binding(VALUES_BINDING) var<storage, read> values: array<u32>;
@group(0) @binding(VALUES_BINDING + 1u) var<storage, read_write> sorted_values: array<u32>;

var<workgroup> tile_values: array<u32, TILE_VALUES>;

fn load_value(i: u32) -> u32 { return values[i]; }
fn store_value(i: u32, value: u32) { sorted_values[i] = value; }
fn tile_value(i: u32) -> u32 { return tile_values[i]; }
fn put_tile_value(i: u32, value: u32) { tile_values[i] = value; }
