//! needs: shared/launch, strings/radix-refine/packing
// Radix-refine, after a sort: puts the records in their places and finds those that are still tied.
//   keys[n] (sorted in each group), numbers[n] (their records), items[n] (item-keys.wgsl; unused in round 0, which has
//   one group and whose numbers are the order), packing -> order[slot]; if `keep_heads`, keep[slot]: 0 for a record
//   equal to the one before it, else 1; members[n], heads[n], to be scanned: whether an entry is tied, and whether it
//   is the first of those tied. One thread per entry, workgroups of 256.
// Bytes moved per entry: 28 to 44 read, 12 to 16 written.

override REVERSE: bool = false;

struct Immediates { n: u32, round: u32, group_bits: u32, keep_heads: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<vec2u>;
@group(0) @binding(1) var<storage, read> numbers: array<u32>;
@group(0) @binding(2) var<storage, read> items: array<vec4u>;
@group(0) @binding(3) var<storage, read> packing: array<u32>;
@group(0) @binding(4) var<storage, read_write> order: array<u32>;
@group(0) @binding(5) var<storage, read_write> keep: array<u32>;
@group(0) @binding(6) var<storage, read_write> members: array<u32>;
@group(0) @binding(7) var<storage, read_write> heads: array<u32>;

/// Whether entry i has the key of the one before it, in the same group.
fn equals_before(i: u32) -> bool {
  if (i == 0u || i >= im.n || any(keys[i] != keys[i - 1u])) { return false; }
  return im.round == 0u || items[i].z == items[i - 1u].z;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let equal = equals_before(i);
  var slot = i;
  var depth = packing[BASE];
  if (im.round != 0u) {
    slot = items[i].x;
    depth = items[i].w;
    order[slot] = numbers[i];
  }
  // If equal keys contain the ends of their records, the records are equal, and their numbers order them.
  let ends = contains_end(select(keys[i].y, ~keys[i].y, REVERSE), depth, im.group_bits);
  let next_equal = equals_before(i + 1u);
  members[i] = select(0u, 1u, !ends && (equal || next_equal));
  heads[i] = select(0u, 1u, !ends && next_equal && !equal);
  if (im.keep_heads != 0u) { keep[slot] = select(1u, 0u, equal && ends); }
}
