//! needs: shared/launch
// Ties, step 2: marks the entries that belong to an unresolved group, and those that begin one.
//   states[n] (ties/mark.wgsl) -> members[n], heads[n] (0 or 1), to be scanned;
//   one thread per entry, workgroups of 256.
// Bytes moved per entry: 8 read (4 of them shared with the neighbor), 8 written.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> states: array<u32>;
@group(0) @binding(1) var<storage, read_write> members: array<u32>;
@group(0) @binding(2) var<storage, read_write> heads: array<u32>;

const JOINED = 2u;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let joined = states[i] == JOINED;
  let next_joined = i + 1u < im.n && states[i + 1u] == JOINED;
  members[i] = select(0u, 1u, joined || next_joined);
  heads[i] = select(0u, 1u, next_joined && !joined);
}
