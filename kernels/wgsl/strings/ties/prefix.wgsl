//! needs: shared/launch, strings/next-bytes
// Ties, step 5: the ordered bytes that all members of each group share.
//   items[n] (ties/tied-items.wgsl), units[n + 1] scanned (ties/units.wgsl), text, starts -> depths[group] (min); one
//   thread per unit of UNIT bytes of a pair, two adjacent members of a group; workgroups of 256. So thousands of
//   threads compare two equal lines of megabytes, or thousands of short pairs.
//   The host need not know the number of units:
//   im.workgroups workgroups take 256 units each in turn.
//   1. The workgroup finds the pairs of its first and last unit by binary search. Each thread then finds its own pair
//      between those, at once if each pair has one unit.
//   2. A unit beyond the shared bytes of its group known so far is not read.
//   3. The first difference, or the end of the shorter record, lowers the group's depth. If the workgroup has one group
//      only, it does so once for all threads, because atomics and even loads of one address are serialized.
// Bytes moved per unit: at most 128 of text read, in vectors of 16, about 50 of tables, mostly cached.

struct Immediates { n: u32, workgroups: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> items: array<vec4u>;
@group(0) @binding(3) var<storage, read> units: array<u32>;
@group(0) @binding(4) var<storage, read_write> depths: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read> vectors: array<vec4u>;

const UNIT = 64u;
const THREADS = 256u;

var<workgroup> first_pair: u32;
var<workgroup> last_pair: u32;
var<workgroup> known: u32;          // the depth of the workgroup's group, if it has one only
var<workgroup> found: atomic<u32>;

/// The last item in [first, last] whose units begin at or before `unit`, which is the item the unit belongs to.
fn pair_of(unit: u32, first: u32, last: u32) -> u32 {
  var low = first;
  var high = last;
  while (low < high) {
    let middle = (low + high + 1u) >> 1u;
    if (units[middle] <= unit) { low = middle; } else { high = middle - 1u; }
  }
  return low;
}

/// How many ordered bytes two records share, if they differ or end in the unit from `begin`; else all ones.
fn shared_bytes(a: u32, b: u32, begin: u32) -> u32 {
  let end = min(ordered_length(a), ordered_length(b));
  let stop = min(end, begin + UNIT);
  var at = begin;
  while (at < stop) {
    let count = min(NEXT_BYTES, stop - at);
    let shared_count = equal_bytes(next_bytes(a, at, count), next_bytes(b, at, count));
    if (shared_count < count) { return at + shared_count; }
    at += count;
  }
  return select(0xffffffffu, end, stop == end);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let number = workgroup_number(id, grid);
  if (number >= im.workgroups) { return; }
  let all_units = units[im.n];
  for (var first_unit = number * THREADS; first_unit < all_units; first_unit += im.workgroups * THREADS) {
    if (thread == 0u) {
      first_pair = pair_of(first_unit, 0u, im.n - 1u);
      known = atomicLoad(&depths[items[first_pair].z]);
      atomicStore(&found, 0xffffffffu);
    }
    if (thread == THREADS - 1u) { last_pair = pair_of(min(first_unit + THREADS, all_units) - 1u, 0u, im.n - 1u); }
    workgroupBarrier();
    let one_group = items[first_pair].z == items[last_pair].z;
    let unit = first_unit + thread;
    if (unit < all_units) {
      var pair = min(first_pair + thread, last_pair);
      if (units[pair] != unit || units[pair + 1u] == unit) { pair = pair_of(unit, first_pair, last_pair); }
      let item = items[pair];
      let at = item.w + (unit - units[pair]) * UNIT;
      var depth = known;
      if (!one_group) { depth = atomicLoad(&depths[item.z]); }
      if (at < depth) {
        let bytes = shared_bytes(item.y, items[pair - 1u].y, at);
        if (bytes < depth) {
          if (one_group) { atomicMin(&found, bytes); } else { atomicMin(&depths[item.z], bytes); }
        }
      }
    }
    workgroupBarrier();
    if (thread == 0u) {
      let least = atomicLoad(&found);
      if (least < known) { atomicMin(&depths[items[first_pair].z], least); }
    }
  }
}
