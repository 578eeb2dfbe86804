//! needs: shared/thread-sums
// Radix sort with one sweep per pass, after histograms.wgsl: where the keys of each digit value begin, and whether keys
// differ in a digit.
//   digits[256 * count], counts -> begins, in place; digits[256 * count + d]: 1 if keys differ in digit d, else 0.
//   One workgroup of 256 threads per digit, `count` in all.

struct Immediates { count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> digits: array<u32>;

const RADIX = 256u;
const THREADS = RADIX;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) thread: u32) {
  let at = id.x * RADIX + thread;
  let total = digits[at];
  let begin = thread_sums(thread, total).x;
  digits[at] = begin;
  let different = thread_sums(thread, select(0u, 1u, total > 0u)).y;
  if (thread == 0u) { digits[im.count * RADIX + id.x] = select(0u, 1u, different > 1u); }
}
