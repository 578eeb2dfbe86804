//! needs: shared/launch, shared/record
// Ties, step 4: how much text there is to compare between adjacent members of a group.
//   items[members[n]] (ties/tied-items.wgsl), text, starts, members[n] -> units[bound], to be scanned, and
//   depths[bound], one per group, set to all ones. If an item follows one of its own group, its units are those of UNIT
//   bytes of the shorter record from the known depth, at least 1; else 0. One thread per item, workgroups of 256;
//   `bound` is at least the number of items.
// Bytes moved per item: 32 (16 shared with the neighbor) and 8 to 16 of starts read, 8 written.

struct Immediates { n: u32, bound: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;  // read for the key lengths of keyed lines only
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> members: array<u32>;
@group(0) @binding(3) var<storage, read> items: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> units: array<u32>;
@group(0) @binding(5) var<storage, read_write> depths: array<u32>;

const UNIT = 64u;  // bytes of text a thread compares, as in ties/prefix.wgsl

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.bound) { return; }
  depths[i] = 0xffffffffu;
  var count = 0u;
  if (i > 0u && i < members[im.n]) {
    let item = items[i];
    let before = items[i - 1u];
    if (item.z == before.z) {
      let bytes = min(ordered_length(item.y), ordered_length(before.y)) - item.w;
      count = max(1u, (bytes + UNIT - 1u) / UNIT);
    }
  }
  units[i] = count;
}
