//! needs: shared/launch, keys/key-{KEY_WORDS}, keys/quicksort/thread-keys, keys/quicksort/lists
// Quicksort, before phase one: the least and greatest key of each section of the input.
//   keys[n] -> sections[count]: least_larger is the least key, most_smaller the greatest; one workgroup of THREADS per
//   section of section_keys elements. Reads each key once.
//   1. Each thread takes every THREADS-th key.
//   2. The workgroup reduces the threads' results.
// Source: Cederman and Tsigas 2008, section 5.2: the pivot of phase one is the average of the minimum and the maximum.

struct Immediates { n: u32, count: u32, section_keys: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> sections: array<Section>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let section = workgroup_number(id, grid);
  if (section >= im.count) { return; }
  let begin = section * im.section_keys;
  let end = min(begin + im.section_keys, im.n);
  var least = encode_key(keys[begin]);
  var most = least;
  for (var i = begin + thread; i < end; i += THREADS) {
    let key = encode_key(keys[i]);
    least = earlier_key(least, key);
    most = later_key(most, key);
  }
  least = first_thread_key(thread, least);
  most = last_thread_key(thread, most);
  if (thread == 0u) { sections[section] = Section(0u, 0u, 0u, most, least); }
}
