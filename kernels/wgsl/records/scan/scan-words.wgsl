//! needs: shared/thread-sums
// The exclusive scan of the words that a workgroup of 256 threads takes at a time, eight adjacent words per thread.
// A kernel that includes this file declares
//   data: array<u32>          the words, scanned in place
//   im.n                      the number of words; those after count as 0 and stay as they are

const THREADS = 256u;
const WORDS = 8u;  // per thread

fn word_at(i: u32) -> u32 {
  if (i < im.n) { return data[i]; }
  return 0u;
}

fn words_at(i: u32) -> vec4u { return vec4u(word_at(i), word_at(i + 1u), word_at(i + 2u), word_at(i + 3u)); }

fn put_word(i: u32, value: u32) {
  if (i < im.n) { data[i] = value; }
}

fn put_words(i: u32, values: vec4u) {
  put_word(i, values.x);
  put_word(i + 1u, values.y);
  put_word(i + 2u, values.z);
  put_word(i + 3u, values.w);
}

fn sum_of(words: vec4u) -> u32 { return words.x + words.y + words.z + words.w; }

/// The exclusive prefix sums of four words; `before` is the sum before the first.
fn befores(words: vec4u, before: u32) -> vec4u {
  let second = before + words.x;
  let third = second + words.y;
  return vec4u(before, second, third, third + words.z);
}

/// Scans the words from `base`; `before` is the sum before the first. Returns their sum. Every thread must call it.
fn scan_words(thread: u32, base: u32, before: u32) -> u32 {
  let at = base + thread * WORDS;
  let low = words_at(at);
  let high = words_at(at + 4u);
  let low_sum = sum_of(low);
  let sums = thread_sums(thread, low_sum + sum_of(high));
  let first = before + sums.x;
  put_words(at, befores(low, first));
  put_words(at + 4u, befores(high, first + low_sum));
  return sums.y;
}
