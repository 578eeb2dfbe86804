//! needs: shared/launch
// Segments, step 2: what to sort, in the form that the rounds of radix-refine take
// (kernels/wgsl/strings/ties/tied-items.wgsl).
//   heads[n] -> members[n]: whether a record's segment has several records; group_heads[n]: whether it is the first of
//   those; both to be scanned. order[i] = i, the final place in a segment of one record; if `keep_heads`, keep[i] = 1.
//   One thread per record, workgroups of 256.
// Bytes moved per record: 4 read (and the neighbor's), 12 to 16 written.

struct Immediates { n: u32, keep_heads: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> heads: array<u32>;
@group(0) @binding(1) var<storage, read_write> members: array<u32>;
@group(0) @binding(2) var<storage, read_write> group_heads: array<u32>;
@group(0) @binding(3) var<storage, read_write> order: array<u32>;
@group(0) @binding(4) var<storage, read_write> keep: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let begins = heads[i] != 0u;
  let next_begins = i + 1u >= im.n || heads[i + 1u] != 0u;
  members[i] = select(1u, 0u, begins && next_begins);
  group_heads[i] = select(0u, 1u, begins && !next_begins);
  order[i] = i;
  if (im.keep_heads != 0u) { keep[i] = 1u; }
}
