//! needs: shared/launch, shared/record
// Radix-refine, step 2: how many ordered bytes all records share with record 0, up to a limit, and whether all have one
// length.
//   text, starts[n + 1] -> shape[3], each the minimum with what was there: the shared bytes (the limit before), the
//   ordered bytes of the shortest record, and the complement of those of the longest; workgroups of 256 threads, ROWS *
//   256 records each. A thread compares a record no further than the least number it knows.
// Bytes moved per record: 8 of starts, a few of text read.

struct Immediates { n: u32, depth: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> shape: array<atomic<u32>, 3>;

const ROWS = 16u;

var<workgroup> known: array<u32, 3>;
var<workgroup> found: array<atomic<u32>, 3>;

fn lower(k: u32, least: u32) {
  if (least < known[k]) { atomicMin(&found[k], least); }
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let base = workgroup_number(id, grid) * (256u * ROWS);
  if (base >= im.n) { return; }
  if (thread < 3u) {
    known[thread] = atomicLoad(&shape[thread]);
    atomicStore(&found[thread], 0xffffffffu);
  }
  workgroupBarrier();
  // Each thread uses what was known at first and its own results: atomics of one address are serialized.
  var least = vec3u(min(known[0], ordered_length(0u)), 0xffffffffu, 0xffffffffu);
  for (var k = 0u; k < ROWS; k++) {
    let i = base + k * 256u + thread;
    if (i >= im.n) { break; }
    let length = ordered_length(i);
    let end = min(least.x, length);
    var at = im.depth;
    var equal = true;
    while (equal && at < end) {
      let differing = ordered_word(i, at) ^ ordered_word(0u, at);
      equal = differing == 0u;
      at += select(4u, countLeadingZeros(differing) >> 3u, !equal);
    }
    least = min(least, vec3u(min(at, end), length, ~length));
  }
  lower(0u, least.x);
  lower(1u, least.y);
  lower(2u, least.z);
  workgroupBarrier();
  if (thread < 3u) {
    let least_found = atomicLoad(&found[thread]);
    if (least_found < known[thread]) { atomicMin(&shape[thread], least_found); }
  }
}
