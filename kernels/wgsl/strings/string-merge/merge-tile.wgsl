//! needs: shared/launch, strings/string-merge/window-keys, shared/tile-window
// Merge pass, step 2 of 2: makes each output tile from its two inputs.
//   keys[n], tags[n], partitions[tiles] (string-merge/merge-partition.wgsl), with text, starts and depths for ties
//   -> merged_keys[n], merged_tags[n]; one workgroup of TILE / 8 threads per tile, from tile `first_tile`.
//   1. A tile with one input only is copied, the common case of sorted and nearly sorted input.
//   2. Otherwise the workgroup reads both inputs, together at most TILE entries, into workgroup memory.
//   3. If many keys are equal, keys are made after what all records of the window share (window-keys.wgsl).
//   4. Each thread merges eight outputs from its diagonal and notes their sources.
//   5. The workgroup writes the outputs, coalesced.
// Bytes moved per entry: 12 read, 12 written, plus the text of ties; after step 3 up to 24 of text, and 12 read again.
// Source: Green, McColl, Bader 2012, section 2.3; Davidson et al. 2012, section 3, merge sort (multiple).

struct Immediates { depth: u32, key_bytes: u32, tie_bytes: u32, grouped: u32, tiles: u32, first_tile: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read> tags: array<u32>;
@group(0) @binding(5) var<storage, read> partitions: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> merged_keys: array<vec2u>;
@group(0) @binding(7) var<storage, read_write> merged_tags: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = im.first_tile + workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  let w = window_of(tile);
  if (w.a_count == 0u || w.a_count == w.count) {
    let source = select(w.a, w.b, w.a_count == 0u);
    for (var k = 0u; k < PER_THREAD; k++) {
      let i = thread + k * THREADS;
      if (i < w.count) {
        merged_keys[w.out + i] = keys[source + i];
        merged_tags[w.out + i] = tags[source + i];
      }
    }
    return;
  }

  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    if (i < w.count) {
      let source = item_place(w, i);
      let key = keys[source];
      tile_put(i, Entry(key.x, key.y, tags[source]));
    }
  }
  workgroupBarrier();
  shift_window(thread, w.a_count, w.count);
  let first = thread * PER_THREAD;
  let diagonal = min(first, w.count);
  let from_a = tile_search(0u, w.a_count, w.a_count, w.count - w.a_count, diagonal);
  tile_merge(from_a, w.a_count, w.a_count + diagonal - from_a, w.count, first, min(PER_THREAD, w.count - diagonal));
  workgroupBarrier();
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    if (i < w.count) {
      if (window_shift != 0u) {
        let source = item_place(w, tile_source[tile_slot(i)]);
        merged_keys[w.out + i] = keys[source];
        merged_tags[w.out + i] = tags[source];
      } else {
        let entry = tile_output(i);
        merged_keys[w.out + i] = vec2u(entry.high, entry.low);
        merged_tags[w.out + i] = entry.tag;
      }
    }
  }
  let reads = tile_text_reads(thread);
  if (thread == 0u) { add_text_reads(tile, reads); }
}
