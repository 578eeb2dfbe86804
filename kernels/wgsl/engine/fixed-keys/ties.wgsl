//! needs: shared/launch, engine/fixed-keys/equal-keys
// Finds the records that equal keys leave tied, in the form that refinement takes (strings/ties/tied-items.wgsl).
//   keys[n], sorted -> members[n]: whether a key equals a neighbor; heads[n]: whether it is the first of those; both
//   to be scanned. One thread per key, workgroups of 256.
// Bytes moved per key: its size read, 8 written.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> members: array<u32>;
@group(0) @binding(2) var<storage, read_write> heads: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let equal = equals_before(i);
  let next_equal = equals_before(i + 1u);
  members[i] = select(0u, 1u, equal || next_equal);
  heads[i] = select(0u, 1u, next_equal && !equal);
}
