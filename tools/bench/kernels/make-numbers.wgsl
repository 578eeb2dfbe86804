//! needs: shared/launch
// Makes the values of keys, which are their places: numbers[i] = i. One thread a word, workgroups of 256.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i < im.n) { numbers[i] = i; }
}
