// Counts the first digit of packed keys while they are made (record-keys.wgsl), so that the first split need not read
// them for that: packing -> counters[digit], added to. Only the device knows the alphabet. So a kernel of each width of
// digits is dispatched, and only the one that packing names does anything. The host prepends
//   const DIGIT_BITS    4 to 12
// Atomics of the device's memory: one per workgroup for each of its digits.

@group(0) @binding(6) var<storage, read_write> counters: array<atomic<u32>>;

const THREADS = 256u;
const PER_THREAD = 8u;
const DIGITS = 1u << DIGIT_BITS;

var<workgroup> digit_counts: array<atomic<u32>, DIGITS>;

fn is_chosen() -> bool { return packing[FIRST_DIGIT_BITS] == DIGIT_BITS; }

/// The caller must issue a barrier.
fn begin_counting(thread: u32) {
  for (var d = thread; d < DIGITS; d += THREADS) { atomicStore(&digit_counts[d], 0u); }
}

fn count_key(key: vec2u) { atomicAdd(&digit_counts[key.x >> (32u - DIGIT_BITS)], 1u); }

/// Begins with a barrier; every thread calls it.
fn end_counting(thread: u32) {
  workgroupBarrier();
  for (var d = thread; d < DIGITS; d += THREADS) {
    let count = atomicLoad(&digit_counts[d]);
    if (count != 0u) { atomicAdd(&counters[d], count); }
  }
}
