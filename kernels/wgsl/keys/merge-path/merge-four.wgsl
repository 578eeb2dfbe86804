//! needs: shared/launch, keys/tile-merge, keys/merge-path/copy-keys
// Merge pass, step 2 of 2: makes each output tile from its four inputs.
//   keys[n], partitions[2 * tiles] (search-four.wgsl), values[n] -> merged_keys[n], sorted_values[n]; one workgroup of
//   THREADS per tile of (THREADS - 1) * PER_THREAD outputs, from tile `first_tile`.
//   1. A tile with one input only is copied.
//   2. Otherwise the workgroup reads the inputs into workgroup memory: the first two into one region, the others into
//      another, whose shares are whole threads. One thread's outputs are to spare for that.
//   3. Both regions are merged (tile-merge.wgsl), the second one backwards. Both together are then a region, too,
//      which is merged.
//   4. The outputs are written coalesced: keys from workgroup memory, values in their order.
// Bytes moved per key: its size (and the value's) read and written once.
// Source: as tile-merge.wgsl.

const VALUES_BINDING = 3u;
const NOWHERE = 0xffffffffu;

struct Immediates { tiles: u32, first_tile: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read> partitions: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> merged_keys: array<Key>;

/// Where a tile's inputs begin, how many there are, and where its outputs begin.
struct Windows { begin: vec4u, counts: vec4u, out: u32 }

fn sum_of(v: vec4u) -> u32 { return v.x + v.y + v.z + v.w; }

fn windows_of(tile: u32) -> Windows {
  let begin = partitions[2u * tile];
  let bounds = partitions[2u * tile + 1u];
  var end = bounds;
  if (tile + 1u < im.tiles) {
    // The next tile may belong to other runs; these end at different positions.
    if (partitions[2u * tile + 3u].w == bounds.w) { end = partitions[2u * tile + 2u]; }
  }
  let counts = fitting(select(end - begin, vec4u(0u), end < begin));
  return Windows(begin, counts, sum_of(begin) - bounds.x - bounds.y - bounds.z);
}

/// At most a tile of keys. Only runs that are not sorted have more, or parts that end before they begin: any order of
/// their keys will do, but each loop must end soon.
fn fitting(counts: vec4u) -> vec4u {
  const TILE = (THREADS - 1u) * PER_THREAD;
  let x = min(counts.x, TILE);
  let y = min(counts.y, TILE - x);
  let z = min(counts.z, TILE - x - y);
  return vec4u(x, y, z, min(counts.w, TILE - x - y - z));
}

/// Where the keys of slots are: those of slots below `ends[i]`, and not below the one before, are at `base[i]` + slot,
/// or at `base[i]` + ~slot if they lie backwards (i is odd).
struct Sources { ends: vec3u, base: vec4u }

fn source_of(s: Sources, slot: u32) -> u32 {
  let first = slot < s.ends.y;
  let ahead = slot < select(s.ends.z, s.ends.x, first);
  let base = select(select(s.base.w, s.base.y, first), select(s.base.z, s.base.x, first), ahead);
  return base + select(~slot, slot, ahead);
}

/// The key of a slot, with its position.
fn source_pair(s: Sources, slot: u32) -> Pair {
  let source = source_of(s, slot);
  return Pair(encode_key(keys[source]), source);
}

fn source_eight(s: Sources, i: u32) -> Eight {
  return Eight(source_pair(s, i), source_pair(s, i + THREADS), source_pair(s, i + 2u * THREADS),
    source_pair(s, i + 3u * THREADS), source_pair(s, i + 4u * THREADS), source_pair(s, i + 5u * THREADS),
    source_pair(s, i + 6u * THREADS), source_pair(s, i + 7u * THREADS));
}

/// Fills slots, each thread one or more, with keys that come last.
fn fill(first: u32, end: u32) {
  for (var i = first; i < end; i += THREADS) { put_place(place_of(i), Pair(LAST_KEY, NOWHERE)); }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = im.first_tile + workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  let w = windows_of(tile);
  let c = w.counts;
  let count = sum_of(c);
  if (max(max(c.x, c.y), max(c.z, c.w)) == count) {
    copy_tile(w, count, thread);
    return;
  }
  let first_rows = (c.x + c.y + PER_THREAD - 1u) / PER_THREAD;
  let rows = first_rows + (c.z + c.w + PER_THREAD - 1u) / PER_THREAD;
  let middle = first_rows * PER_THREAD;
  let end = rows * PER_THREAD;
  let sources = Sources(vec3u(middle - c.y, middle, end - c.w),
    vec4u(w.begin.x, w.begin.y + middle, w.begin.z - middle, w.begin.w + end));
  // All loads of a thread are in flight at once.
  var pairs: Sixteen;
  pairs.low = source_eight(sources, thread);
  if (PER_THREAD == 16u) { pairs.high = source_eight(sources, thread + 8u * THREADS); }
  put_apart(thread, pairs.low);
  if (PER_THREAD == 16u) { put_apart(thread + 8u * THREADS, pairs.high); }
  workgroupBarrier();
  // Between two inputs of a region there may be room for less than a row.
  fill(c.x + thread, middle - c.y);
  fill(middle + c.z + thread, end - c.w);
  workgroupBarrier();
  let second = thread >= first_rows;
  let merges = thread < rows;
  let region = Region(select(0u, middle, second), select(middle, end, second), select(c.x, c.z, second));
  merge_region(region, thread, select(thread, thread - first_rows, second), merges, second);
  if (rows > first_rows) { merge_region(Region(0u, end, c.x + c.y), thread, thread, merges, false); }
  write_tile(w.out, count, thread);
}

/// Copies a tile that has one input only.
fn copy_tile(w: Windows, count: u32, thread: u32) {
  let c = w.counts;
  let source = select(select(select(w.begin.w, w.begin.z, c.z != 0u), w.begin.y, c.y != 0u), w.begin.x, c.x != 0u);
  copy_keys(source, w.out, count, thread);
}

fn put_output(i: u32, code: Key, value: u32) { put_key(i, decode_key(code), value); }
