//! needs: shared/launch
// Tokenize for records of one size: starts[i] = (first + i) * size, for i from 0 to `records` (inclusive).
//   -> starts[records + 1]; one thread per word, workgroups of 256. Writes 4 bytes per record.

struct Immediates { size: u32, first: u32, records: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> starts: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i <= im.records) { starts[i] = (im.first + i) * im.size; }
}
