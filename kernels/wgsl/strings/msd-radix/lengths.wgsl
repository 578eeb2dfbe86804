//! needs: shared/launch, shared/record
// Alphabet, step 2 of 3: whether all records have one length, and what they share.
//   text, starts[n + 1]; all records share the ordered bytes up to im.depth -> shape[0] (min) and shape[1] (max): the
//   least and the most ordered bytes of a record; shape[2] (min): how many ordered bytes all records share with
//   record 0, at most im.limit. One thread per record, workgroups of 256.
// If few bytes are shared, the first workgroups find that out, and later ones read no text.
// Bytes moved per record: 4 of starts and the shared bytes of the text read.

struct Immediates { n: u32, depth: u32, limit: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> shape: array<atomic<u32>>;

var<workgroup> least: atomic<u32>;
var<workgroup> most: atomic<u32>;
var<workgroup> shared_bytes: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  if (thread == 0u) {
    atomicStore(&least, 0xffffffffu);
    atomicStore(&most, 0u);
    atomicStore(&shared_bytes, min(im.limit, atomicLoad(&shape[2])));
  }
  workgroupBarrier();
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i < im.n) {
    let length = ordered_length(i);
    if (length < atomicLoad(&least)) { atomicMin(&least, length); }
    if (length > atomicLoad(&most)) { atomicMax(&most, length); }
    let known = min(atomicLoad(&shared_bytes), min(length, ordered_length(0u)));
    var at = im.depth;
    while (at < known) {
      let differing = ordered_word(i, at) ^ ordered_word(0u, at);
      if (differing != 0u) {
        at += countLeadingZeros(differing) >> 3u;
        break;
      }
      at += 4u;
    }
    at = max(im.depth, min(at, known));
    if (at < atomicLoad(&shared_bytes)) { atomicMin(&shared_bytes, at); }
  }
  workgroupBarrier();
  if (thread == 0u) {
    let a = atomicLoad(&least);
    let b = atomicLoad(&most);
    let c = atomicLoad(&shared_bytes);
    if (a < atomicLoad(&shape[0])) { atomicMin(&shape[0], a); }
    if (b > atomicLoad(&shape[1])) { atomicMax(&shape[1], b); }
    if (c < atomicLoad(&shape[2])) { atomicMin(&shape[2], c); }
  }
}
