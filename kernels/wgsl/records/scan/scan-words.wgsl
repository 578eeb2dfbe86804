//! needs: shared/thread-sums
// The exclusive scan of the words that a workgroup of 256 threads takes at a time, eight adjacent words per thread.
// They go through workgroup memory, so that reads and writes are coalesced.
// A kernel that includes this file declares
//   data: array<u32>          the words, scanned in place
//   im.n                      the number of words, at least 1; those after count as 0 and stay as they are

const THREADS = 256u;
const WORDS = 8u;  // per thread

var<workgroup> words: array<u32, THREADS * WORDS>;

/// The slot of word i: both adjacent words and words eight apart are in different banks.
fn slot_of(i: u32) -> u32 { return (i ^ ((i >> 5u) & 7u)) & (THREADS * WORDS - 1u); }

/// Clamped instead of branching, so that loads overlap.
fn word_at(i: u32) -> u32 { return select(0u, data[min(i, im.n - 1u)], i < im.n); }

/// Scans the words from `base`; `before` is the sum before the first. Returns their sum. Every thread must call it.
fn scan_words(thread: u32, base: u32, before: u32) -> u32 {
  for (var k = 0u; k < WORDS; k += 4u) {
    let i = thread + k * THREADS;
    let word0 = word_at(base + i);
    let word1 = word_at(base + i + THREADS);
    let word2 = word_at(base + i + 2u * THREADS);
    let word3 = word_at(base + i + 3u * THREADS);
    words[slot_of(i)] = word0;
    words[slot_of(i + THREADS)] = word1;
    words[slot_of(i + 2u * THREADS)] = word2;
    words[slot_of(i + 3u * THREADS)] = word3;
  }
  workgroupBarrier();
  let first = thread * WORDS;
  var sum = 0u;
  for (var k = 0u; k < WORDS; k++) { sum += words[slot_of(first + k)]; }
  let sums = thread_sums(thread, sum);
  var next = before + sums.x;
  for (var k = 0u; k < WORDS; k++) {
    let word = words[slot_of(first + k)];
    words[slot_of(first + k)] = next;
    next += word;
  }
  workgroupBarrier();
  for (var k = 0u; k < WORDS; k++) {
    let i = thread + k * THREADS;
    if (base + i < im.n) { data[base + i] = words[slot_of(i)]; }
  }
  workgroupBarrier();
  return sums.y;
}
