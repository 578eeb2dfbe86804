//! needs: shared/launch
// Makes head flags from segment indices: sets bit i % 32 of word i / 32 if a segment begins at element i.
//   begins[segments] -> flags[ceil(n / 32)], all zero before; one thread per segment, workgroups of 256.
// Bytes moved per segment: 4 read, and one atomic operation.
// Source: Baxter, Segmented Sort and Locality Sort, "Host functions".

struct Immediates { n: u32, segments: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> begins: array<u32>;
@group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let segment = workgroup_number(id, grid) * 256u + thread;
  if (segment >= im.segments) { return; }
  let begin = begins[segment];
  // Empty segments at the end may begin past the last element.
  if (begin < im.n) { atomicOr(&flags[begin >> 5u], 1u << (begin & 31u)); }
}
