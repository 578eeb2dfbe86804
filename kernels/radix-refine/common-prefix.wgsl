//! needs: launch, record
// Radix-refine, step 2: how many ordered bytes all records share with record 0, as far as it is looked.
//   text, starts[n + 1] -> shared_bytes (min; `most` before); one thread a record, workgroups of 256, ROWS * 256 records each.
//   A record is compared no further than the least that is known.
// Bytes moved a record: 8 of starts, a few of text.

struct Immediates { n: u32, depth: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> shared_bytes: atomic<u32>;

const ROWS = 16u;

var<workgroup> least: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let base = workgroup_number(id, grid) * (256u * ROWS);
  if (base >= im.n) { return; }
  if (thread == 0u) { atomicStore(&least, atomicLoad(&shared_bytes)); }
  workgroupBarrier();
  let length = ordered_length(0u);
  for (var k = 0u; k < ROWS; k++) {
    let i = base + k * 256u + thread;
    if (i >= im.n) { break; }
    let end = min(min(length, ordered_length(i)), atomicLoad(&least));
    var at = im.depth;
    var equal = true;
    while (equal && at < end) {
      let differing = ordered_word(i, at) ^ ordered_word(0u, at);
      equal = differing == 0u;
      at += select(4u, countLeadingZeros(differing) >> 3u, !equal);
    }
    atomicMin(&least, min(at, end));
  }
  workgroupBarrier();
  if (thread == 0u) {
    let found = atomicLoad(&least);
    if (found < atomicLoad(&shared_bytes)) { atomicMin(&shared_bytes, found); }
  }
}
