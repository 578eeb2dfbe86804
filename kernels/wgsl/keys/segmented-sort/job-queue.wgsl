// A queue of jobs: one kernel fills it, the workgroups of a later dispatch serve it (Baxter: Segmented Sort and
// Locality Sort, "Filling the work queue"). A queue has four counter words, all zero before the kernel runs:
// 0 the jobs, 1 the counted jobs, 2 a count of the kernel's own, 3 the jobs taken (jobs-counted.wgsl).
// Workgroups have QUEUE_THREADS threads. A kernel that includes this file declares
//   const COUNTERS_BINDING    binding of the counters of all queues

const QUEUE_THREADS = 64u;

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
    queue_base = atomicAdd(&counters[queue * 4u], jobs);
    atomicAdd(&counters[queue * 4u + 1u], atomicLoad(&queue_counted));
  }
  workgroupBarrier();
  return queue_base + place;
}
