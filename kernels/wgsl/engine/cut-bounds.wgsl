//! needs: shared/launch, shared/record
// Cuts a run at given records (queries). For each, finds the first record of the run not before it
// and the first after it.
//   text, starts (the run); queries: for each of n, its first word in query_text and its length in bytes; query_text:
//   the queries' ordered bytes, each at a word boundary, zeros up to the next word -> bounds[2 n]: record number and
//   byte; the lower bound of query q at 2 q, the upper at 2 q + 1. One thread per bound, workgroups of 64.
//   1. Each thread searches the records [from, to) by bisection, with comparisons of at most ALONE bytes.
//   2. If a comparison needs more, the thread leaves its bound, with the range left, to the workgroup.
//   3. The workgroup finishes those searches one by one. All threads compare, 256 bytes per step, up to the first word
//      that differs; lengths decide if all bytes are equal. So one thread is not held up by long equal records.
// Bytes moved per bound: log2(records) comparisons read, 8 written.

struct Immediates { n: u32, from_record: u32, to_record: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> queries: array<vec2u>;
@group(0) @binding(3) var<storage, read> query_text: array<u32>;
@group(0) @binding(4) var<storage, read_write> bounds: array<vec2u>;

const THREADS = 64u;
const ALONE = 128u;  // bytes: most inputs have no longer ties; those that do have many
const NONE = 0xffffffffu;

// Results of comparing a record with a query.
const EQUAL = 0u;
const LESS = 1u;
const GREATER = 2u;
const OPEN = 3u;  // equal in the bytes compared

/// An unfinished search: the number of its bound, and the range that holds it.
struct Search { number: u32, low: u32, high: u32 }

var<workgroup> first_different: atomic<u32>;
var<workgroup> step_result: u32;
var<workgroup> open_count: atomic<u32>;
var<workgroup> open_total: u32;
var<workgroup> open_searches: array<Search, THREADS>;

/// The query's four bytes from `at` (a multiple of 4), the first in the highest byte.
fn query_word(query: vec2u, at: u32) -> u32 {
  if (at >= query.y) { return 0u; }
  return reversed_bytes(query_text[query.x + at / 4u]);
}

/// Compares lengths, if all bytes are equal up to the longer length (zeros follow the shorter).
fn compare_lengths(length: u32, query_length: u32) -> u32 {
  return select(select(GREATER, LESS, length < query_length), EQUAL, length == query_length);
}

/// Compares at most ALONE bytes, by one thread.
fn compare_alone(record: u32, query: vec2u) -> u32 {
  let length = ordered_length(record);
  let longer = max(length, query.y);
  for (var at = 0u; at < min(longer, ALONE); at += 4u) {
    let mine = ordered_word(record, at);
    let other = query_word(query, at);
    if (mine != other) { return select(GREATER, LESS, mine < other); }
  }
  if (longer > ALONE) { return OPEN; }
  return compare_lengths(length, query.y);
}

/// Compares by the whole workgroup. Every thread must call it with the same values.
fn compare_together(record: u32, query: vec2u, thread: u32) -> u32 {
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
    let first = atomicLoad(&first_different);
    if (first == thread) { step_result = select(GREATER, LESS, mine < other); }
    if (first == NONE && thread == 0u) { step_result = EQUAL; }
    let result = workgroupUniformLoad(&step_result);
    if (result != EQUAL) { return result; }
  }
  return compare_lengths(length, query.y);
}

/// Whether a record belongs before the bound: it is before the query, or equals it and the bound is an upper one.
fn is_before(order: u32, number: u32) -> bool {
  return select(order == select(LESS, GREATER, REVERSE), (number & 1u) == 1u, order == EQUAL);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let number = workgroup_number(id, grid) * THREADS + thread;
  if (thread == 0u) { atomicStore(&open_count, 0u); }
  workgroupBarrier();
  if (number < im.n * 2u) {
    var low = im.from_record;
    var high = im.to_record;
    var is_open = false;
    while (low < high && !is_open) {
      let middle = low + (high - low) / 2u;
      let order = compare_alone(middle, queries[number / 2u]);
      is_open = order == OPEN;
      if (is_open) {
        open_searches[atomicAdd(&open_count, 1u)] = Search(number, low, high);
      } else if (is_before(order, number)) { low = middle + 1u; } else { high = middle; }
    }
    if (!is_open) { bounds[number] = vec2u(low, record_start(low)); }
  }
  workgroupBarrier();
  if (thread == 0u) { open_total = atomicLoad(&open_count); }
  let total = workgroupUniformLoad(&open_total);
  for (var i = 0u; i < total; i++) {
    let search = workgroupUniformLoad(&open_searches[i]);
    let query = queries[search.number / 2u];
    var low = search.low;
    var high = search.high;
    while (low < high) {
      let middle = low + (high - low) / 2u;
      if (is_before(compare_together(middle, query, thread), search.number)) {
        low = middle + 1u;
      } else {
        high = middle;
      }
    }
    if (thread == 0u) { bounds[search.number] = vec2u(low, record_start(low)); }
  }
}
