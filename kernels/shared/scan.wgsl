// Sums over one workgroup of SCAN_THREADS threads (Sengupta et al. 2007, by Hillis-Steele steps: no subgroups needed).

const SCAN_THREADS = 256u;

var<workgroup> scan_partial: array<u32, SCAN_THREADS>;

/// The sum of `value` over the threads before this one; every thread of the workgroup must call it. `scan_total` is then the sum
/// of all. The barrier at the start lets one kernel call it several times.
fn workgroup_exclusive_scan(thread: u32, value: u32) -> u32 {
  workgroupBarrier();
  scan_partial[thread] = value;
  workgroupBarrier();
  for (var step = 1u; step < SCAN_THREADS; step <<= 1u) {
    var before = 0u;
    if (thread >= step) { before = scan_partial[thread - step]; }
    workgroupBarrier();
    scan_partial[thread] += before;
    workgroupBarrier();
  }
  return scan_partial[thread] - value;
}

/// The sum over the workgroup, after workgroup_exclusive_scan.
fn workgroup_scan_total() -> u32 {
  return scan_partial[SCAN_THREADS - 1u];
}
