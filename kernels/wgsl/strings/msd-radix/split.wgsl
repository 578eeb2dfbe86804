//! needs: shared/launch, strings/msd-radix/entries, strings/msd-radix/items
// MSD radix sort, medium buckets: counting, offsets and moving by one workgroup each.
//   entries, middles[], state -> entries on the other side; items (items.wgsl) to ranges[] and next_middles[]; one
//   workgroup of TILE / 8 threads per bucket.
//   1. The workgroup counts digits in workgroup memory.
//   2. It computes their offsets. A bucket with one digit stays for the next level, where its digit begins at the first
//      bit in which its entries differ.
//   3. It groups tile after tile by digit and appends each digit's entries to those written before.
// Bytes moved per entry: 24 read, 12 written.
// Source: Drozd and Matsuoka, section 3, the second stage (a group of threads with its own counters per bucket).

struct Immediates { level: u32 }
var<immediate> im: Immediates;

@group(0) @binding(4) var<storage, read> middles: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> next_middles: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> ranges: array<vec4u>;
@group(0) @binding(7) var<storage, read_write> state: array<atomic<u32>>;

var<workgroup> places: array<u32, BINS>;  // where the next entry of each digit goes
var<workgroup> size_known: u32;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let number = workgroup_number(id, grid);
  let bucket = middles[number];
  if (thread == 0u) {
    size_known = 0u;
    if (number < atomicLoad(&state[level_word(im.level, MIDDLES)])) { size_known = bucket.y - bucket.x; }
  }
  let size = workgroupUniformLoad(&size_known);
  if (size == 0u) { return; }
  let at = bucket.z & AT_MASK;
  let side = side_of(bucket.z);

  let first = load_entry(side, bucket.x);
  clear_bins(thread);
  workgroupBarrier();
  var high = 0u;
  var low = 0u;
  var tag = 0u;
  for (var i = thread; i < size; i += THREADS) {
    let entry = load_entry(side, bucket.x + i);
    atomicAdd(&bins[digit_of(entry, at) & (BINS - 1u)], 1u);
    high |= entry.high ^ first.high;
    low |= entry.low ^ first.low;
    tag |= entry.tag ^ first.tag;
  }
  note_differing(high, low, tag);
  scan_bins(thread);
  list_items(thread, size);
  if (workgroupUniformLoad(&one_digit) != 0u) {
    if (thread == 0u) {
      let next_at = first_bit(atomicLoad(&differing[0]), atomicLoad(&differing[1]), atomicLoad(&differing[2]));
      let slot = atomicAdd(&state[level_word(im.level + 1u, MIDDLES)], 1u);
      next_middles[slot] = vec4u(bucket.x, bucket.y, where_of(next_at, side), 0u);
    }
    return;
  }
  for (var b = thread; b < BINS; b += THREADS) { places[b & (BINS - 1u)] = bucket.x + bin_begin(b, size); }
  for (var digit = thread; digit < BINS; digit += THREADS) {
    if (!begins_item(digit)) { continue; }
    let begin = bucket.x + bin_begin(digit, size);
    let end = bucket.x + item_end(digit, size);
    let item = vec4u(begin, end, where_of(at + DIGIT_BITS, 1u - side), 0u);
    if (end - begin <= TILE) {
      ranges[atomicAdd(&state[RANGE_COUNT], 1u)] = item;
    } else {
      next_middles[atomicAdd(&state[level_word(im.level + 1u, MIDDLES)], 1u)] = item;
    }
  }
  workgroupBarrier();

  for (var done = 0u; done < size; done += TILE) {
    let count = min(TILE, size - done);
    arrange(thread, side, bucket.x + done, count, at);
    for (var k = 0u; k < PER_THREAD; k++) {
      let i = thread + k * THREADS;
      if (i < count) {
        let entry = tile_get(i);
        let digit = digit_of(entry, at) & (BINS - 1u);
        store_entry(1u - side, places[digit] + i - atomicLoad(&bins[digit]), entry);
      }
    }
    workgroupBarrier();
    for (var b = thread; b < BINS; b += THREADS) {
      places[b & (BINS - 1u)] += bin_begin(b + 1u, count) - bin_begin(b, count);
    }
    workgroupBarrier();
  }
}
