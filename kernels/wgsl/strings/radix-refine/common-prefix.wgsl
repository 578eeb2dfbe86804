//! needs: shared/launch, shared/record
// Radix-refine, step 2: how many ordered bytes all records share with record 0, up to a limit.
//   text, starts[n + 1] -> shared_bytes (min; the limit before); workgroups of 256 threads, ROWS * 256
//   records each. A thread compares a record no further than the least number it knows.
// Bytes moved per record: 8 of starts, a few of text read.

struct Immediates { n: u32, depth: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> shared_bytes: atomic<u32>;

const ROWS = 16u;

var<workgroup> known: u32;
var<workgroup> found: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let base = workgroup_number(id, grid) * (256u * ROWS);
  if (base >= im.n) { return; }
  if (thread == 0u) {
    known = atomicLoad(&shared_bytes);
    atomicStore(&found, 0xffffffffu);
  }
  workgroupBarrier();
  // Each thread uses what was known at first and its own results: atomics of one address are serialized.
  var least = min(known, ordered_length(0u));
  for (var k = 0u; k < ROWS; k++) {
    let i = base + k * 256u + thread;
    if (i >= im.n) { break; }
    let end = min(least, ordered_length(i));
    var at = im.depth;
    var equal = true;
    while (equal && at < end) {
      let differing = ordered_word(i, at) ^ ordered_word(0u, at);
      equal = differing == 0u;
      at += select(4u, countLeadingZeros(differing) >> 3u, !equal);
    }
    least = min(at, end);
  }
  if (least < known) { atomicMin(&found, least); }
  workgroupBarrier();
  if (thread == 0u) {
    let bytes = atomicLoad(&found);
    if (bytes < known) { atomicMin(&shared_bytes, bytes); }
  }
}
