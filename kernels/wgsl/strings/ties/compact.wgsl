//! needs: shared/launch, strings/entry
// Ties, step 3: lists the entries of unresolved groups, group by group.
//   keys[n], tags[n] sorted; members[n + 1], heads[n + 1] scanned (ties/flags.wgsl); old_items and depths of the round
//   before, if any (grouped) -> items[] = (place in the order, record, group, ordered bytes known to be equal in the
//   group); one thread per entry, workgroups of 256.
// Bytes moved per entry: 8 read; 24 to 40 more read and 16 written if it is a member.

struct Immediates { depth: u32, key_bytes: u32, tie_bytes: u32, grouped: u32, n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<vec2u>;
@group(0) @binding(1) var<storage, read> tags: array<u32>;
@group(0) @binding(2) var<storage, read> members: array<u32>;
@group(0) @binding(3) var<storage, read> heads: array<u32>;
@group(0) @binding(4) var<storage, read> depths: array<u32>;
@group(0) @binding(5) var<storage, read> old_items: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> items: array<vec4u>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let place = members[i];
  if (members[i + 1u] == place) { return; }
  var slot = i;
  var depth = im.depth;
  if (im.grouped != 0u) {
    slot = old_items[i].x;
    depth = depths[keys[i].x >> ((im.key_bytes - 4u) * 8u)];
  }
  items[place] = vec4u(slot, tags[i] & NUMBER_MASK, heads[i + 1u] - 1u, depth + im.tie_bytes);
}
