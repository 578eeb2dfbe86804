//! needs: scan
// Scan, step 2 of 3: the exclusive scan of the tiles' sums, in place, and the grand total after them.
//   sums[tiles] -> sums[tiles + 1]; one workgroup, in rounds of 2,048.

struct Immediates { tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> sums: array<u32>;

const WORDS = 8u;  // a thread, neighbours

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) thread: u32) {
  var carry = 0u;
  for (var base = 0u; base < im.tiles; base += SCAN_THREADS * WORDS) {
    var words: array<u32, WORDS>;
    var sum = 0u;
    for (var i = 0u; i < WORDS; i++) {
      let at = base + thread * WORDS + i;
      // Written in every round: a variable's zero value may be that of the first round only (seen with Dawn, November 2026).
      words[i] = 0u;
      if (at < im.tiles) { words[i] = sums[at]; }
      sum += words[i];
    }
    var before = carry + workgroup_exclusive_scan(thread, sum);
    for (var i = 0u; i < WORDS; i++) {
      let at = base + thread * WORDS + i;
      if (at < im.tiles) { sums[at] = before; }
      before += words[i];
    }
    carry += workgroup_scan_total();
  }
  if (thread == 0u) { sums[im.tiles] = carry; }
}
