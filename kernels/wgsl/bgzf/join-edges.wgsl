//! needs: shared/launch
// Adds the first bytes of each inflated block to the word that the block before it wrote (see inflate.wgsl).
//   edges[blocks], places[blocks] -> text; one thread per block. Several small blocks may share a word.
// Bytes moved: 20 read per block, and at most one word of the text written.

struct Immediates { blocks: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> edges: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> text: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let block = workgroup_number(id, grid) * 256u + thread;
  if (block >= im.blocks) { return; }
  let begin = places[block].z;
  if ((begin & 3u) != 0u) { atomicOr(&text[begin >> 2u], edges[block]); }
}
