//! needs: shared/launch, shared/record, strings/entry
// Makes the initial entries of a sort: each record's prefix of 8 or 4 bytes at the common depth, with its tag.
//   text, starts[n + 1] -> keys[n] (high, low), tags[n]; one thread per record, workgroups of 256.
// Bytes moved per record: 4 of starts and 4 to 12 of text read, 12 written.
// Source: Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed and Variable Length Keys,
// 2012, section 4.

struct Immediates { depth: u32, key_bytes: u32, n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> tags: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  var key = vec2u(ordered_word(i, im.depth), 0u);
  if (im.key_bytes == 8u) { key.y = ordered_word(i, im.depth + 4u); }
  // If reversed, the low word of a 4-byte prefix becomes all ones instead of zeros, the same in all keys.
  keys[i] = select(key, ~key, REVERSE);
  tags[i] = entry_tag(i, ordered_length(i) - im.depth, im.key_bytes, REVERSE);
}
