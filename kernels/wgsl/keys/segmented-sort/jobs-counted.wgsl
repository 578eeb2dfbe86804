// How the workgroups that serve a queue share its jobs (job-queue.wgsl): after its first job, each takes the next one
// that no other has taken, by a counter. No workgroup waits for another.
// A kernel that includes this file declares
//   const COUNTERS_BINDING    binding of the counters of all queues
// Source: Baxter, Segmented Sort and Locality Sort, "Servicing the work queue".

@group(0) @binding(COUNTERS_BINDING) var<storage, read_write> counters: array<atomic<u32>>;

var<workgroup> read_counter: u32;

/// The number of jobs. Every thread of the workgroup must call it.
fn queued_jobs(queue: u32, thread: u32) -> u32 {
  if (thread == 0u) { read_counter = atomicLoad(&counters[queue * 4u]); }
  return workgroupUniformLoad(&read_counter);
}

/// The job that a workgroup serves after job `place`. Every thread of the workgroup must call it.
fn next_place(queue: u32, place: u32, groups: u32, thread: u32) -> u32 {
  if (thread == 0u) { read_counter = groups + atomicAdd(&counters[queue * 4u + 3u], 1u); }
  return workgroupUniformLoad(&read_counter);
}
