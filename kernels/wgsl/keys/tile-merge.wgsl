//! needs: keys/bitonic-pairs, keys/values-{VALUES}
// Merges sequences of pairs in workgroup memory, PER_THREAD outputs (8 or 16) a thread. A region of the tile holds one
// sequence from its begin on, and another one backwards from its end on. Regions begin and end at multiples of
// PER_THREAD. What a thread merges is then bitonic: it reads its share of both, sorts it in registers and writes it.
//   1. Each thread finds by binary search how many of the outputs before its own come from the first sequence.
//   2. It reads its inputs so that all threads read slots that are equal modulo PER_THREAD at a time. That rotates the
//      inputs, which stay bitonic, and uses a bank at most twice.
// The values of a tile are positions, which tell equal keys apart.
// A kernel that includes this file declares
//   const VALUES_BINDING            binding of the values read; the values written take the next binding
//   fn put_output(i, code, value)   writes output i
// and the host prepends `const THREADS`, a power of two, and `const PER_THREAD`.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2; Berney, Sitchinava: Eliminating Bank Conflicts in
// GPU Mergesort, 2025 (the order of reads).

/// Rows of one slot more than a thread has outputs, so that threads that access the same column use different banks.
const ROW = PER_THREAD + 1u;
const SLOTS = THREADS * PER_THREAD;
const TILE_VALUES = THREADS * ROW;
const_assert PER_THREAD == 8u || PER_THREAD == 16u;

var<workgroup> tile_keys: array<Key, THREADS * ROW>;
/// How many of the outputs before each thread's come from the first sequence.
var<workgroup> splits: array<u32, THREADS>;

/// Sequences of `a_count` and `end - begin - a_count` slots.
struct Region { begin: u32, end: u32, a_count: u32 }

/// Where slot i lies.
fn place_of(i: u32) -> u32 { return i + i / PER_THREAD; }

fn tile_key(i: u32) -> Key { return tile_keys[place_of(i)]; }

fn put_place(at: u32, pair: Pair) {
  tile_keys[at] = pair.key;
  put_tile_value(at, pair.value);
}

/// How many of the first `diagonal` outputs of a region come from its first sequence.
fn region_split(r: Region, diagonal: u32) -> u32 {
  let b_count = r.end - r.begin - r.a_count;
  var low = select(0u, diagonal - b_count, diagonal > b_count);
  var high = min(diagonal, r.a_count);
  // The constant bound saves the compiler's guard against endless loops.
  for (var round = 0u; round < 32u; round++) {
    if (low >= high) { break; }
    let i = (low + high) >> 1u;
    if (key_before(tile_key(r.end - diagonal + i), tile_key(r.begin + i))) { high = i; } else { low = i + 1u; }
  }
  return low;
}

/// A thread's inputs, one in each column: below column `wrap` they are in the row after that of `row`, and where `a`
/// has no bit they are `jump` places later.
struct Inputs { row: u32, wrap: u32, a: u32, jump: u32 }

/// The inputs that are `a_count` slots from slot `first` on, and others `jump` slots later.
fn inputs_from(first: u32, a_count: u32, jump: u32) -> Inputs {
  let wrap = first & (PER_THREAD - 1u);
  let columns = ((1u << (a_count & 31u)) - 1u) << wrap;
  return Inputs(first / PER_THREAD * ROW, wrap, columns | (columns >> PER_THREAD), place_of(jump));
}

/// The input in column c.
fn input_at(inputs: Inputs, c: u32) -> Pair {
  let row = select(inputs.row, inputs.row + ROW, c < inputs.wrap);
  let at = row + c + select(inputs.jump, 0u, (inputs.a & (1u << c)) != 0u);
  return Pair(tile_keys[at], tile_value(at));
}

fn eight_inputs(inputs: Inputs, c: u32) -> Eight {
  return Eight(input_at(inputs, c), input_at(inputs, c + 1u), input_at(inputs, c + 2u), input_at(inputs, c + 3u),
    input_at(inputs, c + 4u), input_at(inputs, c + 5u), input_at(inputs, c + 6u), input_at(inputs, c + 7u));
}

/// Writes a thread's pairs into a row, or `backwards`.
fn put_pairs(row: u32, pairs: Sixteen, backwards: bool) {
  let first = row * ROW + select(0u, PER_THREAD - 1u, backwards);
  let step = select(1u, 0xffffffffu, backwards);
  put_eight_at(first, step, pairs.low);
  if (PER_THREAD == 16u) { put_eight_at(first + 8u * step, step, pairs.high); }
}

fn put_eight_at(first: u32, step: u32, eight: Eight) {
  put_place(first, eight.p0);
  put_place(first + step, eight.p1);
  put_place(first + 2u * step, eight.p2);
  put_place(first + 3u * step, eight.p3);
  put_place(first + 4u * step, eight.p4);
  put_place(first + 5u * step, eight.p5);
  put_place(first + 6u * step, eight.p6);
  put_place(first + 7u * step, eight.p7);
}

/// Merges a region in place, `row` being a thread's number among those that share it. The result is in order from the
/// begin of the region on, or `backwards` from its end on. All threads of the workgroup call this, also those
/// without a region (`merges` is false).
fn merge_region(r: Region, thread: u32, row: u32, merges: bool, backwards: bool) {
  let diagonal = row * PER_THREAD;
  var split = 0u;
  if (merges) { split = region_split(r, diagonal); }
  splits[thread] = split;
  workgroupBarrier();
  let rest = r.end - r.begin - PER_THREAD - diagonal;
  var pairs: Sixteen;
  if (merges) {
    // The last thread of a region takes all that is left, without a jump, so its count does not matter.
    let a_count = splits[(thread + 1u) & (THREADS - 1u)] - split;
    let inputs = inputs_from(r.begin + split, a_count, rest);
    pairs.low = eight_inputs(inputs, 0u);
    if (PER_THREAD == 16u) { pairs.high = eight_inputs(inputs, 8u); }
    pairs = bitonic_sixteen(pairs);
  }
  workgroupBarrier();
  if (merges) {
    put_pairs(select(r.begin + diagonal, r.begin + rest, backwards) / PER_THREAD, pairs, backwards);
  }
  workgroupBarrier();
}

/// Writes pairs to slots `i`, `i + THREADS`, ..., whose accesses by all threads are adjacent.
fn put_apart(i: u32, eight: Eight) {
  put_place(place_of(i), eight.p0);
  put_place(place_of(i + THREADS), eight.p1);
  put_place(place_of(i + 2u * THREADS), eight.p2);
  put_place(place_of(i + 3u * THREADS), eight.p3);
  put_place(place_of(i + 4u * THREADS), eight.p4);
  put_place(place_of(i + 5u * THREADS), eight.p5);
  put_place(place_of(i + 6u * THREADS), eight.p6);
  put_place(place_of(i + 7u * THREADS), eight.p7);
}

/// Writes the first `count` slots, at least one, as outputs from `first` on, with eight loads of a thread in flight.
fn write_tile(first: u32, count: u32, thread: u32) {
  for (var i = thread; i < count; i += 8u * THREADS) {
    let last = count - 1u;
    let value0 = value_of(i, last);
    let value1 = value_of(i + THREADS, last);
    let value2 = value_of(i + 2u * THREADS, last);
    let value3 = value_of(i + 3u * THREADS, last);
    let value4 = value_of(i + 4u * THREADS, last);
    let value5 = value_of(i + 5u * THREADS, last);
    let value6 = value_of(i + 6u * THREADS, last);
    let value7 = value_of(i + 7u * THREADS, last);
    write_slot(first, i, last, value0);
    write_slot(first, i + THREADS, last, value1);
    write_slot(first, i + 2u * THREADS, last, value2);
    write_slot(first, i + 3u * THREADS, last, value3);
    write_slot(first, i + 4u * THREADS, last, value4);
    write_slot(first, i + 5u * THREADS, last, value5);
    write_slot(first, i + 6u * THREADS, last, value6);
    write_slot(first, i + 7u * THREADS, last, value7);
  }
}

fn value_of(i: u32, last: u32) -> u32 { return load_value(tile_value(place_of(min(i, last)))); }

fn write_slot(first: u32, i: u32, last: u32, value: u32) {
  if (i <= last) { put_output(first + i, tile_key(i), value); }
}
