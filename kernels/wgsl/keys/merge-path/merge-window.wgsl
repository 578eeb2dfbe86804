//! needs: shared/launch, keys/merge-path/copy-keys, keys/merge-path/merge-steps, shared/tile-window
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

/// Copies a window that has one input only.
fn copy_window(w: Window, thread: u32) {
  copy_keys(select(w.a, w.b, w.a_count == 0u), w.out, w.count, thread);
}
