//! needs: shared/launch, keys/segmented-sort/job-queue
// After the last merge level, step 1 of 2: queues the tiles that are not in the result buffer.
//   sides[2 * tiles]: the buffer that holds each tile, from `sides_from` -> jobs: tiles of side 1; counters of queue
//   `queue`. One thread per tile, workgroups of 64. Reads 4 bytes per tile.
// Source: Baxter, Segmented Sort and Locality Sort, "Filling the work queue". There each tile that stays is copied
// after its last merge; here tiles know their side and are copied once, at the end.

struct Immediates { tiles: u32, queue: u32, sides_from: u32 }
var<immediate> im: Immediates;

const COUNTERS_BINDING = 2u;

@group(0) @binding(0) var<storage, read> sides: array<u32>;
@group(0) @binding(1) var<storage, read_write> jobs: array<u32>;

@compute @workgroup_size(QUEUE_THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid) * QUEUE_THREADS + thread;
  var wants = false;
  if (tile < im.tiles) { wants = sides[im.sides_from + tile] == 1u; }
  let place = queue_place(thread, im.queue, wants, false);
  if (wants) { jobs[place] = tile; }
}
