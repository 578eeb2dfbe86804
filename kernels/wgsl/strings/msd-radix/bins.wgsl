//! needs: strings/entry
// MSD radix sort of entries: digits, and a counter of each digit value in workgroup memory.
// An entry is 96 bits: high, low, tag, the first bit the highest. Here a tag is a record number, so no two entries are
// equal. A digit is DIGIT_BITS bits from bit `at`: several packed symbols of the text, or finally a part of the number.
// The host prepends
//   const TILE          entries per tile, a power of two from 64 to 2,048
//   const DIGIT_BITS    4 to 12

const PER_THREAD = 8u;
const THREADS = TILE / PER_THREAD;
const BINS = 1u << DIGIT_BITS;
const BINS_PER_THREAD = max(1u, BINS / THREADS);

/// The bit where the key ends and the tag begins.
const TAG_BIT = 64u;

var<workgroup> bins: array<atomic<u32>, BINS>;      // counts; after scan_bins, where each digit's entries begin
var<workgroup> bin_sums: array<u32, THREADS>;
var<workgroup> differing: array<atomic<u32>, 3>;    // bits in which entries differ from the first

fn digit_of(entry: Entry, at: u32) -> u32 {
  var first = entry.tag;
  var second = 0u;
  if (at < 32u) { first = entry.high; second = entry.low; } else if (at < 64u) {
    first = entry.low;
    second = entry.tag;
  }
  let within = at & 31u;
  if (within != 0u) { first = (first << within) | (second >> (32u - within)); }
  return first >> (32u - DIGIT_BITS);
}

/// The position of the first set bit of 96; 96 if none is set.
fn first_bit(high: u32, low: u32, tag: u32) -> u32 {
  if (high != 0u) { return countLeadingZeros(high); }
  if (low != 0u) { return 32u + countLeadingZeros(low); }
  return 64u + countLeadingZeros(tag);
}

/// Clears the counters; the caller must issue a barrier.
fn clear_bins(thread: u32) {
  for (var b = thread; b < BINS; b += THREADS) { atomicStore(&bins[b & (BINS - 1u)], 0u); }
  if (thread == 0u) {
    atomicStore(&differing[0], 0u);
    atomicStore(&differing[1], 0u);
    atomicStore(&differing[2], 0u);
  }
}

/// Sets the missing bits in `differing`. The loads spare most atomics: few threads find bits that are not set yet.
fn note_differing(high: u32, low: u32, tag: u32) {
  if ((high & ~atomicLoad(&differing[0])) != 0u) { atomicOr(&differing[0], high); }
  if ((low & ~atomicLoad(&differing[1])) != 0u) { atomicOr(&differing[1], low); }
  if ((tag & ~atomicLoad(&differing[2])) != 0u) { atomicOr(&differing[2], tag); }
}

/// Replaces the counts in `bins` by their exclusive prefix sums. Begins and ends with a barrier; every thread calls it.
fn scan_bins(thread: u32) {
  workgroupBarrier();
  let first = thread * BINS_PER_THREAD;
  var sum = 0u;
  if (first < BINS) {
    for (var k = 0u; k < BINS_PER_THREAD; k++) { sum += atomicLoad(&bins[(first + k) & (BINS - 1u)]); }
  }
  bin_sums[thread] = sum;
  workgroupBarrier();
  for (var step = 1u; step < THREADS; step <<= 1u) {
    var before = 0u;
    if (thread >= step) { before = bin_sums[thread - step]; }
    workgroupBarrier();
    bin_sums[thread] += before;
    workgroupBarrier();
  }
  if (first < BINS) {
    var before = bin_sums[thread] - sum;
    for (var k = 0u; k < BINS_PER_THREAD; k++) {
      let count = atomicLoad(&bins[(first + k) & (BINS - 1u)]);
      atomicStore(&bins[(first + k) & (BINS - 1u)], before);
      before += count;
    }
  }
  workgroupBarrier();
}

/// Where a digit's entries begin, after scan_bins over `count` entries; `count` for BINS itself.
fn bin_begin(digit: u32, count: u32) -> u32 {
  if (digit >= BINS) { return count; }
  return atomicLoad(&bins[digit & (BINS - 1u)]);
}
