//! needs: strings/msd-radix/bins
// Counts the first digit of packed keys while they are made (record-keys.wgsl), so that the first split need not read
// them for that: packing -> counters[digit], added to. Only the device knows the alphabet. So a kernel of each width of
// digits is dispatched, and only the one that packing names does anything.
// Atomics per workgroup: one for each of its digits.

@group(0) @binding(6) var<storage, read_write> counters: array<atomic<u32>>;

fn is_chosen() -> bool { return packing[FIRST_DIGIT_BITS] == DIGIT_BITS; }

/// The caller must issue a barrier.
fn begin_counting(thread: u32) { clear_bins(thread); }

fn count_key(key: vec2u) { atomicAdd(&bins[(key.x >> (32u - DIGIT_BITS)) & (BINS - 1u)], 1u); }

/// Begins with a barrier; every thread calls it.
fn end_counting(thread: u32) {
  workgroupBarrier();
  for (var b = thread; b < BINS; b += THREADS) {
    let count = atomicLoad(&bins[b & (BINS - 1u)]);
    if (count != 0u) { atomicAdd(&counters[b], count); }
  }
}
