//! needs: shared/launch, shared/thread-sums
// Scan, step 1 of 3: the sum of each tile.
//   data[n] -> sums[tiles]; one workgroup of 256 threads per tile of 2,048 words.
//   Reads 4 bytes per word, writes 4 per tile.

struct Immediates { n: u32, tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

const THREADS = 256u;
const WORDS = 8u;  // per thread

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  var sum = 0u;
  let base = tile * (THREADS * WORDS) + thread;
  for (var i = 0u; i < WORDS; i++) {
    let at = base + i * THREADS;
    if (at < im.n) { sum += data[at]; }
  }
  let total = thread_sums(thread, sum).y;
  if (thread == 0u) { sums[tile] = total; }
}
