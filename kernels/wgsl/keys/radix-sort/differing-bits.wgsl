//! needs: shared/launch, keys/key-{KEY_WORDS}
// Radix sort: in which bits keys differ, so that passes over digits that are the same in all keys are skipped.
//   keys[n] -> differing[4] (zeros before): each word of the codes, the highest first; workgroups of 256 threads,
//   ROWS * 256 keys each. Reads each key once.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> differing: array<atomic<u32>, 4>;

const THREADS = 256u;
const ROWS = 16u;

var<workgroup> together: array<atomic<u32>, KEY_WORDS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let base = workgroup_number(id, grid) * (THREADS * ROWS);
  if (base >= im.n) { return; }
  if (thread < KEY_WORDS) { atomicStore(&together[thread], 0u); }
  workgroupBarrier();
  let first = encode_key(keys[0]);
  var bits = first ^ first;
  for (var k = 0u; k < ROWS; k++) {
    let i = base + k * THREADS + thread;
    if (i < im.n) { bits |= encode_key(keys[i]) ^ first; }
  }
  for (var w = 0u; w < KEY_WORDS; w++) {
    // The lowest word is the last one.
    let word = key_bits(bits, 32u * (KEY_WORDS - 1u - w));
    if (word != 0u) { atomicOr(&together[w], word); }
  }
  workgroupBarrier();
  if (thread < KEY_WORDS) {
    let word = atomicLoad(&together[thread]);
    if (word != 0u) { atomicOr(&differing[thread], word); }
  }
}
