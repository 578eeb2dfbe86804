//! needs: strings/compare, shared/tile-window, shared/moving-windows
// Merge pass, step 2 of 2, by moving windows: each workgroup merges shares of any length, a whole pair of runs or a
// part of one, with the window of A in registers (shared/moving-windows.wgsl says how).
//   keys[n], tags[n], partitions[tiles] (string-merge/merge-partition.wgsl), with text, starts and depths for ties
//   -> merged_keys[n], merged_tags[n]; workgroups of THREADS, which take shares first_tile to end_tile - 1 in turn.
// Ties are settled from the text in every comparison, those of the windows' last entries too. Entries of B's window
// need no comparisons of their own, so each text is compared from one side only.
// Bytes moved per entry: 12 read and written once, plus the text of ties; entries are read again from a cache when they
// are written, and those of B's window again if it is shifted.
// Source: Davidson et al. 2012, sections 3 and 4; section 6.2 for fewer linear steps, because runs of ties are long.

const STEPS = 2u;

struct Immediates {
  depth: u32, key_bytes: u32, tie_bytes: u32, grouped: u32, tiles: u32, first_tile: u32, end_tile: u32,
}
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read> tags: array<u32>;
@group(0) @binding(5) var<storage, read> partitions: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> merged_keys: array<vec2u>;
@group(0) @binding(7) var<storage, read_write> merged_tags: array<u32>;

alias Item = Entry;

fn load_item(i: u32) -> Item {
  let key = keys[i];
  return Entry(key.x, key.y, tags[i]);
}

fn item_before(y: Item, x: Item) -> bool { return entry_before(y, x); }

fn copy_four(source: vec4u, to: vec4u, exists: vec4<bool>) {
  let entry0 = load_item(source.x);
  let entry1 = load_item(source.y);
  let entry2 = load_item(source.z);
  let entry3 = load_item(source.w);
  if (exists.x) { put_output(to.x, entry0); }
  if (exists.y) { put_output(to.y, entry1); }
  if (exists.z) { put_output(to.z, entry2); }
  if (exists.w) { put_output(to.w, entry3); }
}

fn put_output(i: u32, entry: Entry) {
  merged_keys[i] = vec2u(entry.high, entry.low);
  merged_tags[i] = entry.tag;
}

/// How many comparisons of this workgroup read the text; 0 if they are not counted. All threads call it at the end.
fn workgroup_text_reads(thread: u32) -> u32 {
  if (COUNT_TEXT_READS == 0u) { return 0u; }
  workgroupBarrier();
  sources[thread] = thread_text_reads();
  workgroupBarrier();
  var sum = 0u;
  if (thread == 0u) {
    for (var i = 0u; i < THREADS; i++) { sum += sources[i]; }
  }
  return sum;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let first = im.first_tile + id.x;
  for (var share = first; share < im.end_tile; share += grid.x) { merge_windows(window_of(share), thread); }
  // Those of all its shares are added to the first one.
  let reads = workgroup_text_reads(thread);
  if (thread == 0u) { add_text_reads(first, reads); }
}
