//! needs: shared/launch
// The bytes of each tile of 256 records in output order, so that the host can cut the output into ranges.
//   order[n], sizes -> bytes[tiles], 2^32 - 1 if there are that many or more; one thread per tile, workgroups of 64.

struct Immediates { n: u32, tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> order: array<u32>;
@group(0) @binding(1) var<storage, read> sizes: array<u32>;
@group(0) @binding(2) var<storage, read_write> bytes: array<u32>;

const TILE_RECORDS = 256u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid) * 64u + thread;
  if (tile >= im.tiles) { return; }
  var sum = 0u;
  for (var i = tile * TILE_RECORDS; i < min((tile + 1u) * TILE_RECORDS, im.n); i++) {
    let size = sizes[order[i]];
    sum = select(sum + size, 0xffffffffu, sum > 0xffffffffu - size);
  }
  bytes[tile] = sum;
}
