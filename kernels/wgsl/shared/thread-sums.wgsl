// Prefix sums over the threads of a workgroup in two barriers, in rows of 16 threads (rows as in Sengupta et al. 2007).
// Needs no subgroups. A kernel that includes this file has const THREADS, its own or the host's, a power of two
// from 16 to 256.

const SUM_ROW = 16u;

var<workgroup> sum_values: array<u32, THREADS>;
var<workgroup> sum_rows: array<u32, THREADS / SUM_ROW>;

/// x: the sum of `value` over the threads before this one, y: over all. Every thread must call it. Two calls need no
/// barrier between them.
fn thread_sums(thread: u32, value: u32) -> vec2u {
  sum_values[thread] = value;
  workgroupBarrier();
  var before = 0u;
  for (var i = thread & ~(SUM_ROW - 1u); i < thread; i++) { before += sum_values[i]; }
  if ((thread & (SUM_ROW - 1u)) == SUM_ROW - 1u) { sum_rows[thread / SUM_ROW] = before + value; }
  workgroupBarrier();
  var total = 0u;
  for (var row = 0u; row < THREADS / SUM_ROW; row++) {
    let sum = sum_rows[row];
    if (row < thread / SUM_ROW) { before += sum; }
    total += sum;
  }
  return vec2u(before, total);
}
