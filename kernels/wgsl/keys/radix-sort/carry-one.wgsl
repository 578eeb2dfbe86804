// A one-word value for each key. A kernel that includes this file declares
//   const VALUES_BINDING      binding of the values read; the values written take the next binding
//   im.n                      the number of values

@group(0) @binding(VALUES_BINDING) var<storage, read> values: array<u32>;
@group(0) @binding(VALUES_BINDING + 1u) var<storage, read_write> sorted_values: array<u32>;

/// Value i, or any value if i is past the end. Clamping instead of branching lets loads overlap.
fn value_at(i: u32) -> u32 { return values[min(i, im.n - 1u)]; }

fn write_value(goal: u32, value: u32) { sorted_values[goal] = value; }
