// Finds the first thread whose flag is false, if the flags of a workgroup are true up to some thread
// and false after it.

const SEARCH_THREADS = 32u;  // w of the paper, its warp size

var<workgroup> crossing_flags: array<u32, SEARCH_THREADS>;
var<workgroup> crossing_found: u32;

/// The number of threads with `yes`. Every thread of the workgroup must call it. Only the thread at the crossing
/// writes, so no atomic is needed (Green, McColl, Bader 2012, section 2.2).
fn workgroup_crossing(thread: u32, yes: bool) -> u32 {
  crossing_flags[thread] = u32(yes);
  workgroupBarrier();
  if (yes) {
    if (thread + 1u == SEARCH_THREADS || crossing_flags[thread + 1u] == 0u) { crossing_found = thread + 1u; }
  } else if (thread == 0u) {
    crossing_found = 0u;
  }
  return workgroupUniformLoad(&crossing_found);
}
