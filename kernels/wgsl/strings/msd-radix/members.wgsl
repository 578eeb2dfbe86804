//! needs: shared/launch
// The remainder for the host to sort: its records, and where its groups begin.
//   items[n] (ties/tied-items.wgsl) -> numbers[n], the records; states[n]: JOINED if a record is in the group of the
//   one before it, else NEW; one thread per item, workgroups of 256.
// Bytes moved per item: 32 read, half of them twice, 8 written.
// Source: Drozd and Matsuoka, MSD Radix String Sort on GPU, section 4: the remaining buckets go to CPU threads.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> items: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(2) var<storage, read_write> states: array<u32>;

// As in ties/mark.wgsl.
const NEW = 0u;
const JOINED = 2u;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let item = items[i];
  let before = items[max(i, 1u) - 1u];
  numbers[i] = item.y;
  states[i] = select(NEW, JOINED, i > 0u && item.z == before.z);
}
