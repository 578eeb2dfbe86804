//! needs: keys/key-{KEY_WORDS}, keys/values-{VALUES}, shared/tile-window, shared/moving-windows
// Merge pass, step 2 of 2, by moving windows: each workgroup merges shares of any length, a whole pair of runs or a
// part of one, with the window of A in registers (shared/moving-windows.wgsl says how).
//   keys[n], partitions[tiles] (search-*.wgsl), values[n] -> merged_keys[n], sorted_values[n]; workgroups of THREADS,
//   which take shares first_tile to end_tile - 1 in turn: as many as fill the machine, so that they stay.
// Bytes moved per key: its size (and the value's) read and written once; keys are read again from a cache when they are
// written, and those of B's window again if it is shifted.
// Source: Davidson et al. 2012, section 3, merge sort (simple) and merge sort (multiple).

const STEPS = 8u;  // if both runs are equally dense, a place is one after the last on average
const VALUES_BINDING = 3u;
const TILE_VALUES = 1u;

struct Immediates { tiles: u32, first_tile: u32, end_tile: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read> partitions: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> merged_keys: array<Key>;

alias Item = Key;

fn load_item(i: u32) -> Item { return encode_key(keys[i]); }
fn item_before(y: Item, x: Item) -> bool { return key_before(y, x); }

fn copy_four(source: vec4u, to: vec4u, exists: vec4<bool>) {
  let key0 = keys[source.x];
  let key1 = keys[source.y];
  let key2 = keys[source.z];
  let key3 = keys[source.w];
  let value0 = load_value(source.x);
  let value1 = load_value(source.y);
  let value2 = load_value(source.z);
  let value3 = load_value(source.w);
  if (exists.x) { put_output(to.x, key0, value0); }
  if (exists.y) { put_output(to.y, key1, value1); }
  if (exists.z) { put_output(to.z, key2, value2); }
  if (exists.w) { put_output(to.w, key3, value3); }
}

fn put_output(i: u32, key: Key, value: u32) {
  merged_keys[i] = key;
  store_value(i, value);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  for (var share = im.first_tile + id.x; share < im.end_tile; share += grid.x) {
    merge_windows(window_of(share), thread);
  }
}
