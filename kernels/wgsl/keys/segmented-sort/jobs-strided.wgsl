// How the workgroups that serve a queue share its jobs (job-queue.wgsl): each takes every `groups`th.
// A kernel that includes this file declares
//   const COUNTERS_BINDING    binding of the counters of all queues

@group(0) @binding(COUNTERS_BINDING) var<storage, read> counters: array<u32>;

/// The number of jobs. Every thread of the workgroup must call it.
fn queued_jobs(queue: u32, thread: u32) -> u32 { return counters[queue * 4u]; }

/// The job that a workgroup serves after job `place`. Every thread of the workgroup must call it.
fn next_place(queue: u32, place: u32, groups: u32, thread: u32) -> u32 { return place + groups; }
