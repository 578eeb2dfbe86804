// A queue of jobs: one kernel fills it, a later indirect dispatch serves it with one workgroup per job (Baxter:
// Segmented Sort and Locality Sort, "Filling the work queue"). A queue has eight counter words, all zero before the
// kernel runs: 0 to 2 the workgroups in x, y and z, 3 the jobs, 4 the counted jobs, 5 a count of the kernel's own.
// Workgroups have QUEUE_THREADS threads. A kernel that includes this file declares
//   const COUNTERS_BINDING    binding of the counters of all queues

const QUEUE_THREADS = 64u;
const MAX_WORKGROUPS = 65535u;  // in one dimension

@group(0) @binding(COUNTERS_BINDING) var<storage, read_write> counters: array<atomic<u32>>;

var<workgroup> queue_jobs: atomic<u32>;
var<workgroup> queue_counted: atomic<u32>;
var<workgroup> queue_base: u32;

/// A place in queue number `queue` for each thread with `wants`. Every thread of the workgroup must call it, once.
fn queue_place(thread: u32, queue: u32, wants: bool, counted: bool) -> u32 {
  if (thread == 0u) {
    atomicStore(&queue_jobs, 0u);
    atomicStore(&queue_counted, 0u);
  }
  workgroupBarrier();
  var place = 0u;
  if (wants) {
    place = atomicAdd(&queue_jobs, 1u);
    if (counted) { atomicAdd(&queue_counted, 1u); }
  }
  workgroupBarrier();
  let jobs = atomicLoad(&queue_jobs);
  if (thread == 0u && jobs > 0u) {
    let at = queue * 8u;
    queue_base = atomicAdd(&counters[at + 3u], jobs);
    atomicAdd(&counters[at + 4u], atomicLoad(&queue_counted));
    // The workgroups in each dimension never decrease with the total, so the maximum is that of the final total.
    let total = queue_base + jobs;
    atomicMax(&counters[at], min(total, MAX_WORKGROUPS));
    atomicMax(&counters[at + 1u], (total + MAX_WORKGROUPS - 1u) / MAX_WORKGROUPS);
    atomicMax(&counters[at + 2u], 1u);
  }
  workgroupBarrier();
  return queue_base + place;
}
