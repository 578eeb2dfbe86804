//! needs: shared/launch, keys/key-{KEY_WORDS}
// Radix sort with one sweep per pass, before all passes:
// how often each value of each 8-bit digit occurs, from the lowest digit.
//   keys[n] -> histograms[256 * 4 * KEY_WORDS] (zeros before), the lowest digit first; one workgroup per block of
//   `block_keys`. A dispatch counts the digits of WORDS words, from the lowest plus `first_word`: two of four words,
//   because 16 digits do not fit into workgroup memory.
//   1. Each thread scans its keys, with coalesced reads, and adds to the workgroup's counts only when a digit changes.
//      Otherwise sorted or equal input would make all threads add to one address.
//   2. The counts are added to the totals of all workgroups.
// Bytes moved: each key read once (16-byte keys twice).
// Source: Adinets and Merrill: Onesweep, 2022.

struct Immediates { n: u32, blocks: u32, block_keys: u32, first_word: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> histograms: array<atomic<u32>>;

const RADIX = 256u;
const THREADS = 256u;
const WORDS = min(KEY_WORDS, 2u);
const WORD_COUNTS = 4u * RADIX;

var<workgroup> totals: array<atomic<u32>, WORDS * WORD_COUNTS>;

/// A thread's counts not yet added: the word of its last key, and for each digit how many keys in a row had its value.
struct Run { word: u32, lengths: vec4u }

fn end_run(at: u32, digit: u32, length: u32) { atomicAdd(&totals[at + digit], length); }

fn end_runs(run: Run, at: u32) {
  end_run(at, run.word & 255u, run.lengths.x);
  end_run(at + RADIX, (run.word >> 8u) & 255u, run.lengths.y);
  end_run(at + 2u * RADIX, (run.word >> 16u) & 255u, run.lengths.z);
  end_run(at + 3u * RADIX, run.word >> 24u, run.lengths.w);
}

/// The runs after one more key, whose word is `word`.
fn go_on(run: Run, word: u32, at: u32) -> Run {
  let changed = run.word ^ word;
  var next = Run(word, run.lengths);
  if ((changed & 0xffu) != 0u) { end_run(at, run.word & 255u, run.lengths.x); next.lengths.x = 0u; }
  if ((changed & 0xff00u) != 0u) { end_run(at + RADIX, (run.word >> 8u) & 255u, run.lengths.y); next.lengths.y = 0u; }
  if ((changed & 0xff0000u) != 0u) {
    end_run(at + 2u * RADIX, (run.word >> 16u) & 255u, run.lengths.z);
    next.lengths.z = 0u;
  }
  if ((changed & 0xff000000u) != 0u) { end_run(at + 3u * RADIX, run.word >> 24u, run.lengths.w); next.lengths.w = 0u; }
  next.lengths += vec4u(1u);
  return next;
}

struct Runs { low: Run, high: Run }

fn word_of(code: Key, w: u32) -> u32 { return key_bits(code, 32u * (im.first_word + w)); }

fn add_key(runs: Runs, code: Key) -> Runs {
  var next = runs;
  next.low = go_on(runs.low, word_of(code, 0u), 0u);
  if (WORDS > 1u) { next.high = go_on(runs.high, word_of(code, 1u), WORD_COUNTS); }
  return next;
}

fn code_at(i: u32) -> Key { return encode_key(keys[min(i, im.n - 1u)]); }

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let block = workgroup_number(id, grid);
  if (block >= im.blocks) { return; }
  for (var i = thread; i < WORDS * WORD_COUNTS; i += THREADS) { atomicStore(&totals[i], 0u); }
  workgroupBarrier();
  let begin = block * im.block_keys;
  let end = min(begin + im.block_keys, im.n);
  var runs: Runs;
  for (var i = begin + thread; i < end; i += 4u * THREADS) {
    let first = code_at(i);
    let second = code_at(i + THREADS);
    let third = code_at(i + 2u * THREADS);
    let fourth = code_at(i + 3u * THREADS);
    runs = add_key(runs, first);
    if (i + THREADS < end) { runs = add_key(runs, second); }
    if (i + 2u * THREADS < end) { runs = add_key(runs, third); }
    if (i + 3u * THREADS < end) { runs = add_key(runs, fourth); }
  }
  end_runs(runs.low, 0u);
  if (WORDS > 1u) { end_runs(runs.high, WORD_COUNTS); }
  workgroupBarrier();
  for (var i = thread; i < WORDS * WORD_COUNTS; i += THREADS) {
    let total = atomicLoad(&totals[i]);
    if (total > 0u) { atomicAdd(&histograms[im.first_word * WORD_COUNTS + i], total); }
  }
}
