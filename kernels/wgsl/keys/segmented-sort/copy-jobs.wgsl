//! needs: keys/key-{KEY_WORDS}, keys/values-{VALUES}, keys/segmented-sort/jobs-{SHARING}
// After the last merge level, step 2 of 2: copies the queued tiles with `groups` workgroups of 64 threads, which share
// the tiles (jobs-*.wgsl).
//   jobs and counters of queue `queue` (plan-copies.wgsl), keys[n], values[n] -> sorted_keys[n], sorted_values[n].
// Bytes moved per item of a queued tile: 4 for each word of a key and value, both read and written.
// Source: Baxter, Segmented Sort and Locality Sort, "Servicing the work queue".

struct Immediates { n: u32, queue: u32, groups: u32 }
var<immediate> im: Immediates;

const VALUES_BINDING = 4u;
const COUNTERS_BINDING = 1u;
const TILE_VALUES = 1u;
const COPY_THREADS = 64u;

@group(0) @binding(0) var<storage, read> jobs: array<u32>;
@group(0) @binding(2) var<storage, read> keys: array<Key>;
@group(0) @binding(3) var<storage, read_write> sorted_keys: array<Key>;

@compute @workgroup_size(COPY_THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) thread: u32) {
  let queued = queued_jobs(im.queue, thread);
  for (var place = id.x; place < queued; place = next_place(im.queue, place, im.groups, thread)) {
    let begin = jobs[place] * TILE;
    let end = min(begin + TILE, im.n);
    for (var i = begin + thread; i < end; i += COPY_THREADS) {
      sorted_keys[i] = keys[i];
      store_value(i, load_value(i));
    }
  }
}
