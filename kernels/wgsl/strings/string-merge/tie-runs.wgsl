//! needs: shared/launch, strings/entry
// Statistics of a sort: how many runs of equal keys there are, by length, and how many entries they hold.
//   keys[n], tags[n] sorted -> counts[34] (added to): [k] the runs of 2^k to 2^(k+1) - 1 entries, k from 1; [0] the
//   entries in all those runs; [32] the entries in runs whose records all continue beyond the key; [33] the length of
//   the longest run. One thread per entry, workgroups of 256.
//   1. An entry that differs from the one before and equals the next begins a run. Its thread finds the end by doubling
//      steps, then by binary search, because equal keys are adjacent.
//   2. The workgroup sums its counts first. Entries without an equal neighbor are not counted, so random keys cost no
//      atomics on the totals.
// Keys are equal if their bytes are and they end alike: a string of a key's length differs from a longer one.
// Bytes moved per entry: 12 read, neighbors from the cache; plus 24 log2(length) per run.
// Source: Davidson et al. 2012, section 6.2, figure 8b.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<vec2u>;
@group(0) @binding(1) var<storage, read> tags: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;

override REVERSE: bool = false;

const ENTRIES = 0u;
const LONG_ENTRIES = 32u;
const LONGEST = 33u;
const COUNTS = 34u;

var<workgroup> found: array<atomic<u32>, COUNTS>;

/// Whether entries a and b, below n, have equal keys.
fn equal(a: u32, b: u32) -> bool {
  return all(keys[a] == keys[b]) && tags[a] >> NUMBER_BITS == tags[b] >> NUMBER_BITS;
}

/// The end of the run that begins at `first`.
fn run_end(first: u32) -> u32 {
  var step = 1u;
  var low = first;                     // in the run
  while (low + step < im.n && equal(first, low + step)) {
    low += step;
    step <<= 1u;
  }
  var high = min(low + step, im.n);    // not in it
  while (low + 1u < high) {
    let middle = (low + high) >> 1u;
    if (equal(first, middle)) { low = middle; } else { high = middle; }
  }
  return high;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  if (thread < COUNTS) { atomicStore(&found[thread], 0u); }
  workgroupBarrier();
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i + 1u < im.n && equal(i, i + 1u) && (i == 0u || !equal(i - 1u, i))) {
    let length = run_end(i) - i;
    atomicAdd(&found[firstLeadingBit(length)], 1u);
    atomicAdd(&found[ENTRIES], length);
    if (both_long(tags[i], tags[i], REVERSE)) { atomicAdd(&found[LONG_ENTRIES], length); }
    atomicMax(&found[LONGEST], length);
  }
  workgroupBarrier();
  if (thread < COUNTS) {
    let count = atomicLoad(&found[thread]);
    if (thread == LONGEST) { atomicMax(&counts[thread], count); }
    else if (count != 0u) { atomicAdd(&counts[thread], count); }
  }
}
