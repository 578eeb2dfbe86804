//! needs: records/scan/scan-words
// Scan, step 2 of 3: the exclusive scan of the tiles' sums, in place, and the total after them.
//   data[n], one word per tile -> data[n + 1]; one workgroup, in rounds of 2,048 words.
// Bytes moved per word: 4 read, 4 written.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
  var sum = 0u;
  for (var base = 0u; base < im.n; base += THREADS * WORDS) { sum += scan_words(thread, base, sum); }
  if (thread == 0u) { data[im.n] = sum; }
}
