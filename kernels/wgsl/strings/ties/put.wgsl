//! needs: shared/launch, strings/entry
// Puts sorted entries into the order: all entries after the sort (items unused), or those of a refinement round into
// the places of their groups.
//   tags[n], states[n] (ties/mark.wgsl), items[n] (ties/tied-items.wgsl) -> order[...], and if `keep_heads`, keep[...]:
//   0 for a record equal to the one before it, else 1; one thread per entry, workgroups of 256.
// Bytes moved per entry: 8 to 24 read, 4 or 8 written.

struct Immediates { n: u32, by_items: u32, keep_heads: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> tags: array<u32>;
@group(0) @binding(1) var<storage, read> states: array<u32>;
@group(0) @binding(2) var<storage, read> items: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> order: array<u32>;
@group(0) @binding(4) var<storage, read_write> keep: array<u32>;

const SAME = 1u;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  var slot = i;
  if (im.by_items != 0u) { slot = items[i].x; }
  order[slot] = tags[i] & NUMBER_MASK;
  if (im.keep_heads != 0u) { keep[slot] = select(1u, 0u, states[i] == SAME); }
}
