//! needs: keys/key-{KEY_WORDS}, shared/thread-sums, keys/quicksort/thread-keys, keys/quicksort/lists
// Quicksort, phase one, pairs, first pass: counts the keys of a section that are smaller and larger than the pivot.
//   keys[n], sequences, owners[sections] -> sections[sections];
//   one workgroup of THREADS per section, dispatched indirectly.
//   1. Each thread counts every THREADS-th key and keeps the greatest of the smaller and the least of the larger ones.
//   2. The workgroup sums the counts.
// Reads each key once. split.wgsl turns the counts into positions; move.wgsl is the second pass.
// Source: Cederman and Tsigas 2008, sections 3.1.1 (the two-pass solution) and 3.2.1
// (two kernels without fetch-and-add).

struct Immediates { section_keys: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read> sequences: array<Sequence>;
@group(0) @binding(2) var<storage, read> owners: array<u32>;
@group(0) @binding(3) var<storage, read_write> sections: array<Section>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) thread: u32) {
  let section = id.x;
  let sequence = sequences[owners[section]];
  let begin = sequence.begin + (section - sequence.first_section) * im.section_keys;
  let end = min(begin + im.section_keys, sequence.begin + sequence.length);
  let pivot = sequence.pivot;
  var most_smaller = sequence.least;
  var least_larger = sequence.most;
  var smaller = 0u;
  var larger = 0u;
  for (var i = begin + thread; i < end; i += THREADS) {
    let key = encode_key(keys[i]);
    if (key_before(key, pivot)) {
      smaller++;
      most_smaller = later_key(most_smaller, key);
    } else if (key_before(pivot, key)) {
      larger++;
      least_larger = earlier_key(least_larger, key);
    }
  }
  smaller = thread_sums(thread, smaller).y;
  larger = thread_sums(thread, larger).y;
  most_smaller = last_thread_key(thread, most_smaller);
  least_larger = first_thread_key(thread, least_larger);
  if (thread == 0u) {
    sections[section] = Section(smaller, larger, end - begin - smaller - larger, most_smaller, least_larger);
  }
}
