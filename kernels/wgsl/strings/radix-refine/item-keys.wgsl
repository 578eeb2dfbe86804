//! needs: shared/launch, strings/radix-refine/symbols
// Radix-refine, in each refinement round: the packed key of each item after the bytes its group shares.
//   items[n] (ties/tied-items.wgsl), depths[group] (ties/prefix.wgsl), text, starts, packing -> keys[n] (high, low),
//   numbers[n]: the items' records; items[n], with the depth of their group; one thread per item, workgroups of 256. If
//   all groups are sorted together, the highest `group_bits` bits of a key are the group's number, and fewer symbols
//   follow.
// Bytes moved per item: 20 read, plus text and starts from random addresses; 16 written.

struct Immediates { n: u32, group_bits: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> packing: array<u32>;
@group(0) @binding(3) var<storage, read_write> items: array<vec4u>;
@group(0) @binding(4) var<storage, read> depths: array<u32>;
@group(0) @binding(5) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(6) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(7) var<storage, read> vectors: array<vec4u>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  load_codes(thread);
  workgroupBarrier();
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let item = items[i];
  let depth = depths[item.z];
  items[i].w = depth;
  var key = packed_key(item.y, depth, im.group_bits);
  // At most 32 bits: a group has at least two members.
  if (im.group_bits == 32u) {
    key = vec2u(item.z, key.x);
  } else if (im.group_bits > 0u) {
    let shift = 32u - im.group_bits;
    key = vec2u(
      (item.z << shift) | (key.x >> im.group_bits),
      (key.x << shift) | (key.y >> im.group_bits),
    );
  }
  keys[i] = key;
  numbers[i] = item.y;
}
