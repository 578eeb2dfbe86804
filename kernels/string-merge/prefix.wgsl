//! needs: launch, record, entry
// The first entries of a sort: each record's prefix of 8 or 4 bytes at the common depth, with its tag.
//   text, starts[n + 1] -> keys[n] (high, low), tags[n]; one thread a record, workgroups of 256.
//   Bytes moved a record: 4 of starts, 4 to 12 of text, 12 written.
// Source: Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed and Variable Length Keys, 2012, section 4.

struct Immediates { depth: u32, key_bytes: u32, n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> tags: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  var key = vec2u(ordered_word(i, im.depth), 0u);
  if (im.key_bytes == 8u) { key.y = ordered_word(i, im.depth + 4u); }
  // All ones behind a reversed prefix of 4 bytes do as well as zeros: they are the same in all.
  keys[i] = select(key, ~key, REVERSE);
  tags[i] = entry_tag(i, ordered_length(i) - im.depth, im.key_bytes, REVERSE);
}
