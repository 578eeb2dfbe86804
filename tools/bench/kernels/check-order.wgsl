//! needs: shared/launch, shared/record
// Checks an order of n records. found[0] counts places whose record does not strictly follow the one before it, by
// bytes, then length, then number. found[1] counts records that do not exist. If both are 0, the sort was stable.
//   text, starts[n + 1], order[n] -> found[2]. One thread a place, workgroups of 256.
// Bytes moved: the text of each pair of neighbors up to the first difference.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read_write> found: array<atomic<u32>, 2>;

fn follows(a: u32, b: u32) -> bool {
  let a_length = record_length(a);
  let b_length = record_length(b);
  let shared_length = min(a_length, b_length);
  var at = 0u;
  while (at < shared_length) {
    var x = text_bytes(starts[a] + at);
    var y = text_bytes(starts[b] + at);
    let left = shared_length - at;
    if (left < 4u) {
      x >>= 8u * (4u - left);
      y >>= 8u * (4u - left);
    }
    if (x != y) { return x < y; }
    at += 4u;
  }
  if (a_length != b_length) { return a_length < b_length; }
  return a < b;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let record = order[i];
  if (record >= im.n) {
    atomicAdd(&found[1], 1u);
    return;
  }
  if (i > 0u && (order[i - 1u] >= im.n || !follows(order[i - 1u], record))) { atomicAdd(&found[0], 1u); }
}
