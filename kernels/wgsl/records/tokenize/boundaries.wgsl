//! needs: shared/launch, records/tokenize/delimiters
// Tokenize: how many records end at or before given bytes of the text, at which the slices of a merge begin.
//   text[bytes], counts[tiles + 1] (scanned), boundaries[n] in bytes -> boundaries[n] in records; one workgroup of 256
//   threads per boundary.
//   1. The scanned count is the number of delimiters before the boundary's tile.
//   2. The threads count the delimiters in the tile before the boundary, 64 bytes each.
// Bytes moved per boundary: at most 16 KiB read, 4 written.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<vec4u>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> boundaries: array<u32>;

var<workgroup> total: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid);
  if (i >= im.n) { return; }
  let end = boundaries[i];
  let tile = end / (TILE_VECTORS * 16u);
  if (thread == 0u) { atomicStore(&total, 0u); }
  workgroupBarrier();
  var count = 0u;
  for (var step = 0u; step < THREAD_VECTORS; step++) {
    count += delimiter_count(delimiters_at(tile * TILE_VECTORS + step * 256u + thread, end));
  }
  if (count > 0u) { atomicAdd(&total, count); }
  workgroupBarrier();
  if (thread == 0u) { boundaries[i] = counts[tile] + atomicLoad(&total); }
}
