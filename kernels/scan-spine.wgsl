//! needs: thread-sums, fours
// Scan, step 2 of 3: the exclusive scan of the tiles' sums, in place, and the grand total after them.
//   sums[tiles] -> sums[tiles + 1]; one workgroup, in rounds of 2,048.

struct Immediates { tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> sums: array<u32>;

const THREADS = 256u;
const WORDS = 8u;  // a thread, neighbours

fn sum_at(i: u32) -> u32 {
  if (i < im.tiles) { return sums[i]; }
  return 0u;
}

fn sums_at(i: u32) -> vec4u { return vec4u(sum_at(i), sum_at(i + 1u), sum_at(i + 2u), sum_at(i + 3u)); }

fn put_sum(i: u32, value: u32) {
  if (i < im.tiles) { sums[i] = value; }
}

fn put_sums(i: u32, values: vec4u) {
  put_sum(i, values.x);
  put_sum(i + 1u, values.y);
  put_sum(i + 2u, values.z);
  put_sum(i + 3u, values.w);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
  var carry = 0u;
  for (var base = 0u; base < im.tiles; base += THREADS * WORDS) {
    let at = base + thread * WORDS;
    let low = sums_at(at);
    let high = sums_at(at + 4u);
    let low_sum = sum_of(low);
    let all = thread_sums(thread, low_sum + sum_of(high));
    let before = carry + all.x;
    put_sums(at, befores(low, before));
    put_sums(at + 4u, befores(high, before + low_sum));
    carry += all.y;
  }
  if (thread == 0u) { sums[im.tiles] = carry; }
}
