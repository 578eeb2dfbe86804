// Merges two sorted runs of any length in one workgroup, through two windows that move along them: one of A in
// registers, four items a thread, and one of B in workgroup memory. The kernel also includes shared/tile-window.wgsl.
//   1. Each thread searches the places of its items of A in B's window: by range check and binary search for the first,
//      in linear steps for the others. The place of an output is an item's own index plus its place in the other
//      window.
//   2. The window with the lesser last item is used up (of equal ones, A's): the place of A's last item says which. All
//      its items are placed, and those items of the other window that come before its last.
//   3. Items of B find their places by searching the places of A's, which are numbers: no two items are compared again.
//   4. The outputs are copied in order, coalesced. A's window is reloaded once it is used up. B's is reloaded from its
//      first unused item once fewer than SHIFT_BELOW are left, or none.
// A kernel that includes this file declares
//   Item, load_item(i) -> Item           what is compared; item i of the runs
//   item_before(y, x) -> bool            whether item y of B comes before item x of A
//   copy_four(source, to, exists)        copies items source[i] to places to[i] where exists[i]; any may be read
//   STEPS                                linear steps of a search before it becomes a binary one
// The host prepends `const THREADS` and `const B_PER_THREAD`, items of B's window per thread.
// Source: Davidson et al. 2012, section 3, simple and multiple merge, figures 3 to 5. How B's items are placed in a
// merge it does not say; in its block sort each run searches the other.

const KEPT = 4u;  // items of A in a thread's registers
const A_WINDOW = THREADS * KEPT;
const B_WINDOW = THREADS * B_PER_THREAD;
/// With fewer items than A's window has, B's would often be used up just before A's, and a round would be needed for
/// the few items left.
const SHIFT_BELOW = min(B_WINDOW, A_WINDOW + A_WINDOW / 4u);

/// Items of A in registers. They have names because an array indexed at run time would go to memory.
struct Kept { x0: Item, x1: Item, x2: Item, x3: Item }

/// A window of items [begin, begin + count) of a run. Those before `head` are placed already.
struct Moving { begin: u32, head: u32, count: u32 }

var<workgroup> b_window: array<Item, B_WINDOW>;
var<workgroup> places: array<u32, A_WINDOW>;              // of A's items in B's window
var<workgroup> sources: array<u32, A_WINDOW + B_WINDOW>;  // of a round's outputs
var<workgroup> a_before: u32;                             // items of A before the last of B's window

fn kept_item(kept: Kept, k: u32) -> Item {
  if (k == 0u) { return kept.x0; }
  if (k == 1u) { return kept.x1; }
  if (k == 2u) { return kept.x2; }
  return kept.x3;
}

fn load_kept(a: Moving, thread: u32) -> Kept {
  let last = a.count - 1u;
  let i = thread * KEPT;
  return Kept(load_item(a.begin + min(i, last)), load_item(a.begin + min(i + 1u, last)),
    load_item(a.begin + min(i + 2u, last)), load_item(a.begin + min(i + 3u, last)));
}

fn load_window(b: Moving, thread: u32) {
  for (var i = thread; i < b.count; i += THREADS) { b_window[i] = load_item(b.begin + i); }
}

/// The index that a search for something in [low, high) looks at next, in its step `step`. The first search of a thread
/// checks the range; others look at `linear` items in turn.
fn probe_at(low: u32, high: u32, step: u32, linear: u32) -> u32 {
  let binary = select((low + high) >> 1u, high - 1u, step == 0u);
  return select(binary, low, step < linear);
}

/// Notes the places of this thread's items of A, and of those in range where they go.
fn place_kept(kept: Kept, a: Moving, b: Moving, thread: u32) {
  var low = b.head;
  var linear = 0u;
  for (var k = 0u; k < KEPT; k++) {
    let i = thread * KEPT + k;
    if (i < a.head || i >= a.count) { continue; }
    let x = kept_item(kept, k);
    var high = b.count;
    // The constant bound saves the compiler's guard against endless loops.
    for (var step = 0u; step < STEPS + 32u; step++) {
      if (low >= high) { break; }
      let probe = probe_at(low, high, step, linear);
      if (item_before(b_window[probe], x)) { low = probe + 1u; } else { high = probe; }
    }
    linear = STEPS;
    places[i] = low;
    if (low < b.count) { sources[i - a.head + low - b.head] = a.begin + i; }
  }
}

/// Notes where the items of B's window before `end` go, and a_before.
fn place_window(a: Moving, b: Moving, end: u32, thread: u32) {
  var low = a.head;
  var linear = 0u;
  for (var k = 0u; k < B_PER_THREAD; k++) {
    let j = b.head + thread * B_PER_THREAD + k;
    if (j >= end) { break; }
    var high = a.count;
    for (var step = 0u; step < STEPS + 32u; step++) {
      if (low >= high) { break; }
      let probe = probe_at(low, high, step, linear);
      if (places[probe] <= j) { low = probe + 1u; } else { high = probe; }
    }
    linear = STEPS;
    sources[j - b.head + low - a.head] = b.begin + j;
    if (j + 1u == b.count) { a_before = low; }
  }
}

/// Copies what sources[0 ... count) name to places from `to` on.
fn copy_sources(count: u32, to: u32, thread: u32) {
  for (var i = thread; i < count; i += 4u * THREADS) {
    let at = vec4u(i, i + THREADS, i + 2u * THREADS, i + 3u * THREADS);
    let read = min(at, vec4u(count - 1u));
    copy_four(vec4u(sources[read.x], sources[read.y], sources[read.z], sources[read.w]), to + at, at < vec4u(count));
  }
}

/// Copies items [first, first + count) to places from `to` on.
fn copy_run(first: u32, count: u32, to: u32, thread: u32) {
  for (var i = thread; i < count; i += 4u * THREADS) {
    let at = vec4u(i, i + THREADS, i + 2u * THREADS, i + 3u * THREADS);
    copy_four(first + min(at, vec4u(count - 1u)), to + at, at < vec4u(count));
  }
}

/// Merges the inputs of a share of the output. Every thread of the workgroup calls it.
fn merge_windows(w: Window, thread: u32) {
  let a_end = w.a + w.a_count;
  let b_end = w.b + w.count - w.a_count;
  var a = Moving(w.a, 0u, 0u);
  var b = Moving(w.b, 0u, 0u);
  var out = w.out;
  var kept: Kept;
  while (a.begin + a.head < a_end && b.begin + b.head < b_end) {
    if (a.head == a.count) {
      let begin = a.begin + a.count;
      a = Moving(begin, 0u, min(A_WINDOW, a_end - begin));
      kept = load_kept(a, thread);
    }
    if (b.count - b.head < SHIFT_BELOW && b.begin + b.count < b_end) {
      let begin = b.begin + b.head;
      b = Moving(begin, 0u, min(B_WINDOW, b_end - begin));
      load_window(b, thread);
    }
    workgroupBarrier();
    place_kept(kept, a, b, thread);
    let b_placed = workgroupUniformLoad(&places[a.count - 1u]);
    place_window(a, b, b_placed, thread);
    let before = workgroupUniformLoad(&a_before);
    let a_placed = select(a.count, before, b_placed == b.count);
    let outputs = a_placed - a.head + b_placed - b.head;
    copy_sources(outputs, out, thread);
    out += outputs;
    a.head = a_placed;
    b.head = b_placed;
  }
  // At most one of the runs is left.
  let a_left = a_end - a.begin - a.head;
  let b_left = b_end - b.begin - b.head;
  copy_run(select(b.begin + b.head, a.begin + a.head, a_left > 0u), a_left + b_left, out, thread);
}
