// A one-word value for each key, if keys and values are spread over two buffers (sides 0 and 1) that are both read and
// written. A kernel that includes this file declares
//   const VALUES_BINDING      binding of the values of side 0; those of side 1 take the next binding
//   const TILE_VALUES         the number of values in workgroup memory

@group(0) @binding(VALUES_BINDING) var<storage, read_write> values_0: array<u32>;
@group(0) @binding(VALUES_BINDING + 1u) var<storage, read_write> values_1: array<u32>;

var<workgroup> tile_values: array<u32, TILE_VALUES>;

fn load_value_of(side: u32, i: u32) -> u32 {
  if (side == 0u) { return values_0[i]; }
  return values_1[i];
}

fn store_value_of(side: u32, i: u32, value: u32) {
  if (side == 0u) { values_0[i] = value; } else { values_1[i] = value; }
}

fn tile_value(i: u32) -> u32 { return tile_values[i]; }
fn put_tile_value(i: u32, value: u32) { tile_values[i] = value; }
