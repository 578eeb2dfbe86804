//! needs: shared/launch
// A device copy, with which the rates of sorts are compared: source[n] -> target_words[n].
// One vec4u a thread, workgroups of 256, no loop. Bytes moved: 32 per thread.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> target_words: array<vec4u>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i < im.n) { target_words[i] = source[i]; }
}
