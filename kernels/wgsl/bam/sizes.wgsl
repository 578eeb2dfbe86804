//! needs: shared/launch
// The sizes of the records of a range of the output.
//   order[n] (record numbers), sizes -> lengths[count]: the sizes of records first to first + count of the order; one
//   thread per record, workgroups of 256.
// Bytes moved per record: 4 read in order and 4 at random, 4 written.

struct Immediates { first: u32, count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> order: array<u32>;
@group(0) @binding(1) var<storage, read> sizes: array<u32>;
@group(0) @binding(2) var<storage, read_write> lengths: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i < im.count) { lengths[i] = sizes[order[im.first + i]]; }
}
