//! needs: shared/launch, shared/record, strings/entry
// Ties, step 6: the entries of a refinement round. A key is the group's number,
// then the bytes after those the group shares.
//   items[n] (ties/tied-items.wgsl), depths[group] (ties/prefix.wgsl), text, starts -> keys[n], tags[n]; one thread per
//   item, workgroups of 256.
// Bytes moved per item: 20 to 32 read, plus text and starts from random addresses, 12 written.
// Source: Deshpande and Narayanan 2013 (as many bytes as fit beside the group's number).

struct Immediates { n: u32, key_bytes: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> items: array<vec4u>;
@group(0) @binding(3) var<storage, read> depths: array<u32>;
@group(0) @binding(4) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> tags: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let item = items[i];
  let depth = depths[item.z];
  let prefix = ordered_prefix(item.y, depth);
  var key = vec2u(item.z, prefix.x);
  if (im.key_bytes > 4u) {
    let shift = (im.key_bytes - 4u) * 8u;
    key = vec2u((item.z << shift) | (prefix.x >> (32u - shift)), (prefix.x << shift) | (prefix.y >> (32u - shift)));
  }
  keys[i] = key;
  tags[i] = entry_tag(item.y, ordered_length(item.y) - depth, im.key_bytes, REVERSE);
}
