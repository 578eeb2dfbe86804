//! needs: shared/launch, records/tokenize/delimiters
// Tokenize, step 1: counts the delimiters in each tile of text.
//   text[bytes] -> counts[tiles] (then scanned in place to counts[tiles + 1]);
//   one workgroup of 256 threads per tile of 16 KiB.
//   1. Each thread compares 64 bytes with the delimiter, four at once.
//   2. The workgroup sums the counts.
// Bytes moved: 1 read per byte of text, 4 written per tile.
// Source: the byte comparison is Lamport's (CACM 18, 8, 1975).

struct Immediates { bytes: u32, tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

var<workgroup> total: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  if (thread == 0u) { atomicStore(&total, 0u); }
  workgroupBarrier();
  var count = 0u;
  for (var i = 0u; i < THREAD_VECTORS; i++) {
    // The order of bytes does not matter here, so adjacent threads read adjacent vectors.
    count += delimiter_count(delimiters_at(tile * TILE_VECTORS + i * 256u + thread, im.bytes));
  }
  if (count > 0u) { atomicAdd(&total, count); }
  workgroupBarrier();
  if (thread == 0u) { counts[tile] = atomicLoad(&total); }
}
