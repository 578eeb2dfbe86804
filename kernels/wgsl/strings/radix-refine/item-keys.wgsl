//! needs: shared/launch, strings/radix-refine/symbols
// Radix-refine, in each refinement round: the packed key of each item after the bytes its group shares.
//   items[n] (ties/tied-items.wgsl), depths[group] (ties/prefix.wgsl), text, starts, symbols[256] -> keys[n] (high,
//   low), numbers[n]: the items' records; one thread per item, workgroups of 256. If all groups are sorted together,
//   the highest `group_bits` bits of a key are the group's number, for which the symbols must leave room.
// Bytes moved per item: 20 read, plus text and starts from random addresses; 12 written.

struct Immediates { n: u32, group_bits: u32, symbol_bits: u32, key_symbols: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> symbols: array<u32>;
@group(0) @binding(3) var<storage, read> items: array<vec4u>;
@group(0) @binding(4) var<storage, read> depths: array<u32>;
@group(0) @binding(5) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(6) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(7) var<storage, read> vectors: array<vec4u>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  load_symbols(thread);
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let item = items[i];
  var key = packed_key(item.y, depths[item.z]);
  // At most 32 bits: a group has at least two members.
  if (im.group_bits > 0u) {
    key.x = (key.x & select(0u, 0xffffffffu >> im.group_bits, im.group_bits < 32u)) | (item.z << (32u - im.group_bits));
  }
  keys[i] = key;
  numbers[i] = item.y;
}
