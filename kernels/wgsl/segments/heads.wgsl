//! needs: shared/launch, shared/bytes, segments/mark-{SEGMENT_KIND}
// Segments, step 1: which records begin a segment.
//   text, starts[n + 1] -> heads[n]: 1 for the first record and for each in another segment than the one before it; 2
//   if LOOK bytes of the two do not decide, which is left to the host; else 0. unknown (0 before): 1 if there are any
//   2s. One thread per record, workgroups of 256.
//   1. Each thread finds the mark of its record; the first one also finds that of the record before the workgroup's.
//   2. It compares the mark with the one before, four bytes per step.
// Bytes moved per record: 8 of starts, and the text up to the end of its mark, read (the mark again for the comparison,
// from the cache); 4 written.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> heads: array<u32>;
@group(0) @binding(3) var<storage, read_write> unknown: atomic<u32>;

var<workgroup> marks: array<vec2u, 257>;

/// Whether records with these marks belong to one segment.
fn same_segment(a: vec2u, b: vec2u) -> bool {
  if (all(a == ALONE) || all(b == ALONE) || a.y - a.x != b.y - b.x) { return false; }
  let length = a.y - a.x;
  for (var at = 0u; at < length; at += 4u) {
    let count = min(4u, length - at);
    if (low_bytes(text_little(a.x + at), count) != low_bytes(text_little(b.x + at), count)) { return false; }
  }
  return true;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let base = workgroup_number(id, grid) * 256u;
  let i = base + thread;
  if (i < im.n) {
    marks[thread + 1u] = segment_mark(i);
    if (thread == 0u && i > 0u) { marks[0] = segment_mark(i - 1u); }
  }
  workgroupBarrier();
  if (i >= im.n) { return; }
  let mark = marks[thread + 1u];
  let before = marks[thread];
  var head = 1u;
  if (i > 0u) {
    if (all(mark == UNKNOWN) || all(before == UNKNOWN)) {
      head = 2u;
      atomicStore(&unknown, 1u);
    } else {
      head = select(1u, 0u, same_segment(before, mark));
    }
  }
  heads[i] = head;
}
