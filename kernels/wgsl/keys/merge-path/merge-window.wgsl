//! needs: shared/launch, keys/key-{KEY_WORDS}, keys/values-{VALUES}, keys/merge-path/merge-steps, shared/tile-window
// Shared by the kernels that make output tiles: the merge path through a tile's inputs, one bit per output. Each thread
// notes which of its outputs come from A. Counting bits then gives the source of any output, so keys and values need no
// registers, and writes are coalesced.
// The host prepends `const THREADS` and `const PER_THREAD`, outputs per thread, at most 32. If PER_THREAD is odd,
// threads that advance in step read from different banks.

const TILE = THREADS * PER_THREAD;
const VALUES_BINDING = 3u;
const TILE_VALUES = 1u;

struct Immediates { tiles: u32, first_tile: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read> partitions: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> merged_keys: array<Key>;

/// The path of each thread: the outputs that come from A (the first in the lowest bit), and how many earlier ones do.
var<workgroup> paths: array<vec2u, THREADS>;

/// Notes the path through this thread's outputs; the items are in workgroup memory.
fn note_path(w: Window, thread: u32) {
  let diagonal = min(thread * PER_THREAD, w.count);
  let from_a = diagonal_search(0u, w.a_count, w.a_count, w.count - w.a_count, diagonal);
  var m = merge_begin(from_a, w.a_count, w.a_count + diagonal - from_a, w.count);
  var path = 0u;
  for (var k = 0u; k < PER_THREAD; k++) {
    if (merge_step(&m)) { path |= 1u << k; }
  }
  paths[thread] = vec2u(path, from_a);
}

/// The item of the tile that becomes output i.
fn output_item(w: Window, i: u32) -> u32 {
  let of_thread = i / PER_THREAD;
  let path = paths[of_thread];
  let k = i - of_thread * PER_THREAD;
  let from_a = path.y + countOneBits(path.x & ((1u << k) - 1u));
  return select(w.a_count + i - from_a, from_a, ((path.x >> k) & 1u) != 0u);
}

/// Copies a window that has one input only, the common case of sorted input, with four loads of a thread in flight.
fn copy_window(w: Window, thread: u32) {
  let source = select(w.a, w.b, w.a_count == 0u);
  let last = w.count - 1u;
  for (var i = thread; i < w.count; i += 4u * THREADS) {
    let i1 = i + THREADS;
    let i2 = i + 2u * THREADS;
    let i3 = i + 3u * THREADS;
    let key0 = keys[source + i];
    let key1 = keys[source + min(i1, last)];
    let key2 = keys[source + min(i2, last)];
    let key3 = keys[source + min(i3, last)];
    let value0 = load_value(source + i);
    let value1 = load_value(source + min(i1, last));
    let value2 = load_value(source + min(i2, last));
    let value3 = load_value(source + min(i3, last));
    put_output(w.out + i, key0, value0);
    if (i1 <= last) { put_output(w.out + i1, key1, value1); }
    if (i2 <= last) { put_output(w.out + i2, key2, value2); }
    if (i3 <= last) { put_output(w.out + i3, key3, value3); }
  }
}

fn put_output(i: u32, key: Key, value: u32) {
  merged_keys[i] = key;
  store_value(i, value);
}
