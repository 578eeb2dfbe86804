//! needs: shared/launch, keys/key-{KEY_WORDS}, ../../tools/bench/kernels/random
// Checks a sort of n keys in segments (a plain sort has one segment). It counts faults:
//   given[n]: keys before, sorted[n]: keys after, values[n]: values after (they were 0 to n - 1), begins[segments + 1]
//   -> found[6]. One thread a place, workgroups of 256.
//
//   found[0]       places whose key is not in order; with values, equal keys must be in order of their values
//   found[1]       with values: places whose value is not of their segment, or not that of an equal key. Pairs strictly
//                  follow each other, so if all values are of the segment, each occurs once
//   found[2 to 5]  without values: two sums over all keys, of the hash of the key and its segment, before and after.
//                  They are equal if the keys of each segment are the same

const FOUND = 6u;

struct Immediates { n: u32, segments: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> given: array<Key>;
@group(0) @binding(1) var<storage, read> sorted: array<Key>;
@group(0) @binding(2) var<storage, read> values: array<u32>;
@group(0) @binding(3) var<storage, read> begins: array<u32>;
@group(0) @binding(4) var<storage, read_write> found: array<atomic<u32>, FOUND>;

var<workgroup> tile_found: array<atomic<u32>, FOUND>;

/// The segment of place i: the last that begins at or before it.
fn segment_of(i: u32) -> u32 {
  var low = 0u;
  var high = im.segments;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (begins[middle] <= i) { low = middle; } else { high = middle; }
  }
  return low;
}

fn key_sum(code: Key, segment: u32, seed: u32) -> u32 {
  var sum = scramble(segment + seed);
  for (var shift = 0u; shift < 32u * KEY_WORDS; shift += 32u) { sum = scramble(sum + key_bits(code, shift)) + seed; }
  return sum;
}

fn check_place(i: u32) {
  let segment = segment_of(i);
  let begin = begins[segment];
  let code = encode_key(sorted[i]);
  if (i > begin) {
    let previous = encode_key(sorted[i - 1u]);
    let follows = VALUES == 0u || values[i - 1u] < values[i];
    if (!key_before(previous, code) && !(keys_equal(previous, code) && follows)) { atomicAdd(&tile_found[0], 1u); }
  }
  if (VALUES == 1u) {
    let value = values[i];
    let inside = value >= begin && value < begins[segment + 1u];
    if (!inside || !keys_equal(encode_key(given[min(value, im.n - 1u)]), code)) { atomicAdd(&tile_found[1], 1u); }
  } else {
    let before = encode_key(given[i]);
    for (var k = 0u; k < 2u; k++) {
      let seed = 0x51ed270bu * (k + 1u);
      atomicAdd(&tile_found[2u + k], key_sum(before, segment, seed));
      atomicAdd(&tile_found[4u + k], key_sum(code, segment, seed));
    }
  }
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (thread < FOUND) { atomicStore(&tile_found[thread], 0u); }
  workgroupBarrier();
  if (i < im.n) { check_place(i); }
  workgroupBarrier();
  if (thread < FOUND) {
    let here = atomicLoad(&tile_found[thread]);
    if (here != 0u) { atomicAdd(&found[thread], here); }
  }
}
