//! needs: shared/launch, strings/entry
// Ties, step 3: lists the entries that are still tied, group by group.
//   numbers[n] of sorted entries; members[n + 1], heads[n + 1], scanned; if `grouped`, old_items[n] and depths[] of the
//   groups they were sorted in -> items[] = (place in the order, record, group, ordered bytes known to be equal in the
//   group), and if LIST_BEGINS, begins[group]: its first item; one thread per entry, workgroups of 256.
//   A sort keeps entries in the places of their old group, so old_items[i] is of the group of sorted entry i.
// Bytes moved per entry: 8 to 16 read; 20 to 40 more read and 16 written if it is tied.

override TAGGED: bool = false;       // numbers are tags (entry.wgsl)
override LIST_BEGINS: bool = false;

struct Immediates { n: u32, grouped: u32, depth: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read> members: array<u32>;
@group(0) @binding(2) var<storage, read> heads: array<u32>;
@group(0) @binding(3) var<storage, read> depths: array<u32>;
@group(0) @binding(4) var<storage, read> old_items: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> items: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> begins: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let place = members[i];
  if (members[i + 1u] == place) { return; }
  var slot = i;
  var depth = im.depth;  // the ordered bytes of a key, plus, if not grouped, those before it
  if (im.grouped != 0u) {
    slot = old_items[i].x;
    depth += depths[old_items[i].z];
  }
  var number = numbers[i];
  if (TAGGED) { number &= NUMBER_MASK; }
  let group = heads[i + 1u] - 1u;
  items[place] = vec4u(slot, number, group, depth);
  if (LIST_BEGINS) {
    if (heads[i] == group) { begins[group] = place; }
  }
}
