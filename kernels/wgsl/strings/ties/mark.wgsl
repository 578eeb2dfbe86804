//! needs: shared/launch, strings/compare
// Ties, step 1: compares each sorted entry with the one before it, and counts the unresolved ties.
//   keys[n], tags[n] sorted, with text, starts and depths -> states[n] (NEW, SAME, JOINED), unresolved (added to);
//   one thread per entry, workgroups of 256.
// Bytes moved per entry: 12 read, 4 written, plus the text of ties, once.
// Source: Davidson et al. 2012, section 6.2 (long sets of similar strings) names the problem; Deshpande and Narayanan:
// Can GPUs Sort Strings Efficiently?, 2013, settle ties in rounds, as here.

struct Immediates { depth: u32, key_bytes: u32, tie_bytes: u32, grouped: u32, n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read> tags: array<u32>;
@group(0) @binding(5) var<storage, read_write> states: array<u32>;
@group(0) @binding(6) var<storage, read_write> unresolved: atomic<u32>;

const NEW = 0u;     // differs from the entry before
const SAME = 1u;    // equal to it in all ordered bytes
const JOINED = 2u;  // equal to it in the bytes compared: unresolved

var<workgroup> joined: atomic<u32>;

fn state_of(i: u32) -> u32 {
  if (i == 0u) { return NEW; }
  let key = keys[i];
  if (any(key != keys[i - 1u])) { return NEW; }
  let tag = tags[i];
  let before = tags[i - 1u];
  if (tag >> NUMBER_BITS != before >> NUMBER_BITS) { return NEW; }
  if (!both_long(tag, before, REVERSE)) { return SAME; }
  let order = compare_ties(key.x, before, tag);
  if (order == UNRESOLVED) { return JOINED; }
  return select(NEW, SAME, order == EQUAL);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  if (thread == 0u) { atomicStore(&joined, 0u); }
  workgroupBarrier();
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i < im.n) {
    let state = state_of(i);
    states[i] = state;
    if (state == JOINED) { atomicAdd(&joined, 1u); }
  }
  workgroupBarrier();
  if (thread == 0u) {
    let count = atomicLoad(&joined);
    if (count != 0u) { atomicAdd(&unresolved, count); }
  }
}
