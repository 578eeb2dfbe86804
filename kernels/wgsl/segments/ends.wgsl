//! needs: shared/launch
// Segments: where the first one ends and the last one begins.
//   heads[n] -> ends[0] (min; all ones before): the first record after record 0 that begins a segment; ends[1] (max; 0
//   before): the last such record. One thread per record, workgroups of 256; atomics once per workgroup.
// Bytes moved per record: 4 read.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> heads: array<u32>;
@group(0) @binding(1) var<storage, read_write> ends: array<atomic<u32>, 2>;

var<workgroup> first: atomic<u32>;
var<workgroup> last: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  if (thread == 0u) {
    atomicStore(&first, 0xffffffffu);
    atomicStore(&last, 0u);
  }
  workgroupBarrier();
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i > 0u && i < im.n && heads[i] != 0u) {
    atomicMin(&first, i);
    atomicMax(&last, i);
  }
  workgroupBarrier();
  if (thread == 0u) {
    let least = atomicLoad(&first);
    if (least != 0xffffffffu) {
      atomicMin(&ends[0], least);
      atomicMax(&ends[1], atomicLoad(&last));
    }
  }
}
