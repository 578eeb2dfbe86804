//! needs: launch, record
// Where a run is cut by given records: for each, the first record of the run not before it and the first after it.
//   text, starts (the run); queries: for each of n its word in query_text and its length in bytes; query_text: their ordered bytes,
//   each from a word on, zeros up to the next word -> bounds[n]: lower number, lower byte, upper number, upper byte.
//   Two workgroups of 64 threads a query: number 2 q finds the lower bound, 2 q + 1 the upper.
//   1. A binary search over the records [from, to).   2. Each comparison is made by all threads: 256 bytes a step, up to the first
//   word that differs; equal bytes leave it to the lengths. So long equal records do not hold one thread.
// Reads log2(records) times what must be compared, writes 8 B a workgroup.

struct Immediates { n: u32, from_record: u32, to_record: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> queries: array<vec2u>;
@group(0) @binding(3) var<storage, read> query_text: array<u32>;
@group(0) @binding(4) var<storage, read_write> bounds: array<vec2u>;

const THREADS = 64u;
const NONE = 0xffffffffu;

var<workgroup> first_different: atomic<u32>;
var<workgroup> step_result: u32;

/// The query's four bytes from `at` (a multiple of 4), the first in the highest place.
fn query_word(query: vec2u, at: u32) -> u32 {
  if (at >= query.y) { return 0u; }
  let little = query_text[query.x + at / 4u];
  let pairs = ((little & 0x00ff00ffu) << 8u) | ((little >> 8u) & 0x00ff00ffu);
  return (pairs << 16u) | (pairs >> 16u);
}

/// 0: equal, 1: the record's bytes are smaller, 2: greater. Every thread must call it, with the same values.
fn compare(record: u32, query: vec2u, thread: u32) -> u32 {
  let length = ordered_length(record);
  let longer = max(length, query.y);
  for (var base = 0u; base < longer; base += THREADS * 4u) {
    if (thread == 0u) { atomicStore(&first_different, NONE); }
    workgroupBarrier();
    let at = base + thread * 4u;
    let mine = ordered_word(record, at);
    let other = query_word(query, at);
    if (mine != other) { atomicMin(&first_different, thread); }
    workgroupBarrier();
    if (thread == 0u) { step_result = select(2u, 0u, atomicLoad(&first_different) == NONE); }
    workgroupBarrier();
    if (atomicLoad(&first_different) == thread && mine < other) { step_result = 1u; }
    let result = workgroupUniformLoad(&step_result);
    if (result != 0u) { return result; }
  }
  return select(select(2u, 1u, length < query.y), 0u, length == query.y);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let number = workgroup_number(id, grid);
  if (number >= im.n * 2u) { return; }
  let query = queries[number / 2u];
  let upper = (number & 1u) == 1u;
  var low = im.from_record;
  var high = im.to_record;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    let order = compare(middle, query, thread);
    // The record at `middle` belongs before the bound: before the query, or equal to it where the upper bound is asked.
    let before = select(order == select(1u, 2u, REVERSE), upper, order == 0u);
    if (before) { low = middle + 1u; } else { high = middle; }
  }
  if (thread == 0u) { bounds[number] = vec2u(low, starts[low]); }
}
