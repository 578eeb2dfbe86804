// Where one workgroup's threads, each with a flag that is true for the first of them and false for the rest, change their mind.

const SEARCH_THREADS = 32u;  // the paper's w, its warp

var<workgroup> crossing_flags: array<u32, SEARCH_THREADS>;
var<workgroup> crossing_found: u32;

/// How many threads say yes; every thread of the workgroup must call it. One thread alone sees the crossing, so none has to be asked
/// for (Green, McColl, Bader 2012, section 2.2).
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
