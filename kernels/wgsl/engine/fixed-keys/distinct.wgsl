//! needs: shared/launch, engine/fixed-keys/equal-keys
// Marks the first of equal keys.
//   keys[n], sorted -> keep[n]: 0 for a key equal to the one before it, else 1; one thread per key, workgroups of 256.
// Bytes moved per key: its size read, 4 written.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> keep: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  keep[i] = select(1u, 0u, equals_before(i));
}
