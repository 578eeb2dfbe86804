//! needs: shared/launch, shared/keyed
// Gather, step 1: the length of each record in output order (then scanned to output starts), and its address.
//   order[n] (record numbers), starts, text -> order[n] (byte addresses in the text), lengths[n]; one thread per
//   record, workgroups of 256. If `in_order` is 1, the records are those from number `first`. If KEYED, only the text
//   of keyed lines goes on.
// Bytes moved per record: 4 read in order and 8 at random (8 more of the text of a keyed line), 8 written.
// This is the only random access to `starts`; later steps read in order.

struct Immediates { n: u32, in_order: u32, first: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> order: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> text: array<u32>;
@group(0) @binding(3) var<storage, read_write> lengths: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  var record = im.first + i;
  if (im.in_order == 0u) { record = order[i]; }
  let begin = text_begin(starts[record]);
  lengths[i] = starts[record + 1u] - begin;
  order[i] = begin;
}
