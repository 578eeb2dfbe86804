//! needs: shared/launch, shared/record
// Statistics of a sort: how many ordered bytes adjacent records share.
//   order[n], text, starts -> counts[MOST + 1] (added to): [b] the records that share b ordered bytes with the record
//   before them, [MOST] those that share MOST or more. One thread per record, workgroups of 256.
//   1. Each thread compares its record with the one before, from byte `known`, which all share, to byte MOST.
//   2. The workgroup sums its counts before it adds them to the totals.
// Bytes moved per record: 4 of the order and 16 of starts read, plus the text compared, from random addresses.
// Source: Davidson et al. 2012, section 6.2, figure 9b.

struct Immediates { n: u32, known: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;

const MOST = 128u;  // the last number counted separately; at most 255

var<workgroup> found: array<atomic<u32>, 256>;

fn shared_bytes(a: u32, b: u32) -> u32 {
  let end = min(min(ordered_length(a), ordered_length(b)), MOST);
  for (var at = min(im.known, end); at < end; at += 4u) {
    let differing = ordered_word(a, at) ^ ordered_word(b, at);
    // A word holds zeros past its record's end, so the end may come before the first difference.
    if (differing != 0u) { return min(end, at + (countLeadingZeros(differing) >> 3u)); }
  }
  return end;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  atomicStore(&found[thread], 0u);
  workgroupBarrier();
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i > 0u && i < im.n) { atomicAdd(&found[shared_bytes(order[i - 1u], order[i])], 1u); }
  workgroupBarrier();
  let count = atomicLoad(&found[thread]);
  if (count != 0u) { atomicAdd(&counts[thread], count); }
}
