//! needs: shared/launch, strings/msd-radix/items
// MSD radix sort, big buckets, step 2 of 3: offsets, and the next level's work.
//   counters[bucket] (count.wgsl) -> the same, as offsets: where each digit's entries go; the items of the bucket
//   (items.wgsl) on the other side: small ones to ranges[], those of up to most_middle entries to next_middles[],
//   larger ones to next_bigs[] with next_tiles[] and zeroed next_counters[]; state. One workgroup per bucket. If
//   im.chosen, it does nothing unless state says that the first digit has this kernel's width.
//   A bucket with one digit stays in place for the next level; its next digit begins at the first bit in which its
//   entries differ.
// Bytes moved per bucket: 12 per digit; for each big item 1 KiB and 8 bytes per tile.
// Source: Drozd and Matsuoka, section 3 (offsets; the bounds of buckets as a by-product). Finishing adjacent small
// buckets together is from Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017.

struct Immediates { level: u32, chosen: u32, most_middle: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> bigs: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> counters: array<u32>;
@group(0) @binding(2) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> ranges: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> next_middles: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> next_bigs: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> next_tiles: array<vec2u>;
@group(0) @binding(7) var<storage, read_write> next_counters: array<u32>;

const ROW = BINS + 3u;

var<workgroup> bucket: vec4u;
var<workgroup> big_items: array<atomic<u32>, BINS / 2u>;  // the digits with which big items begin, two a word
var<workgroup> big_count: atomic<u32>;
var<workgroup> bigs_known: u32;
var<workgroup> big_slot: u32;
var<workgroup> tile_base: u32;

/// Adds a big bucket to the next level's list. All threads call it.
fn add_big(thread: u32, added: vec4u) {
  let tile_count = (added.y - added.x + TILE - 1u) / TILE;
  if (thread == 0u) {
    big_slot = atomicAdd(&state[level_word(im.level + 1u, BIGS)], 1u);
    tile_base = atomicAdd(&state[level_word(im.level + 1u, TILES)], tile_count);
    next_bigs[big_slot] = added;
  }
  workgroupBarrier();
  for (var t = thread; t < tile_count; t += THREADS) {
    next_tiles[tile_base + t] = vec2u(big_slot, added.x + t * TILE);
  }
  for (var b = thread; b < ROW; b += THREADS) { next_counters[big_slot * ROW + b] = 0u; }
  workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let number = workgroup_number(id, grid);
  if (thread == 0u) {
    bucket = vec4u();
    // If the list is longer than its level has buckets, the rest is from an earlier level.
    let other = im.chosen != 0u && atomicLoad(&state[FIRST_DIGIT]) != DIGIT_BITS;
    if (!other && number < atomicLoad(&state[level_word(im.level, BIGS)])) { bucket = bigs[number]; }
    atomicStore(&big_count, 0u);
  }
  let this_bucket = workgroupUniformLoad(&bucket);
  let size = this_bucket.y - this_bucket.x;
  if (size == 0u) { return; }
  let row = number * ROW;
  let at = this_bucket.z & AT_MASK;
  let side = side_of(this_bucket.z);
  for (var b = thread; b < BINS; b += THREADS) { atomicStore(&bins[b & (BINS - 1u)], counters[row + b]); }
  for (var k = thread; k < BINS / 2u; k += THREADS) { atomicStore(&big_items[k & (BINS / 2u - 1u)], 0u); }
  scan_bins(thread);
  list_items(thread, size);
  if (workgroupUniformLoad(&one_digit) != 0u) {
    if (thread == 0u) { bigs[number] = vec4u(this_bucket.x, this_bucket.y, this_bucket.z | SETTLED, 0u); }
    let differ = first_bit(counters[row + BINS], counters[row + BINS + 1u], counters[row + BINS + 2u]);
    // 96: differing bits are unknown, because only digits were counted while keys were packed.
    let next_at = select(differ, at, differ == 96u);
    add_big(thread, vec4u(this_bucket.x, this_bucket.y, where_of(next_at, side), 0u));
    return;
  }
  for (var b = thread; b < BINS; b += THREADS) { counters[row + b] = this_bucket.x + bin_begin(b, size); }
  for (var digit = thread; digit < BINS; digit += THREADS) {
    if (!begins_item(digit)) { continue; }
    let begin = this_bucket.x + bin_begin(digit, size);
    let end = this_bucket.x + item_end(digit, size);
    let item = vec4u(begin, end, where_of(at + DIGIT_BITS, 1u - side), 0u);
    if (end - begin <= TILE) {
      ranges[atomicAdd(&state[RANGE_COUNT], 1u)] = item;
    } else if (end - begin <= im.most_middle) {
      next_middles[atomicAdd(&state[level_word(im.level + 1u, MIDDLES)], 1u)] = item;
    } else {
      let k = atomicAdd(&big_count, 1u) & (BINS - 1u);
      atomicOr(&big_items[k >> 1u], digit << (16u * (k & 1u)));
    }
  }
  workgroupBarrier();
  if (thread == 0u) { bigs_known = atomicLoad(&big_count); }
  let known = workgroupUniformLoad(&bigs_known);
  for (var k = 0u; k < known; k++) {
    let digit = (atomicLoad(&big_items[(k & (BINS - 1u)) >> 1u]) >> (16u * (k & 1u))) & 0xffffu;
    let begin = this_bucket.x + bin_begin(digit, size);
    let end = this_bucket.x + item_end(digit, size);
    add_big(thread, vec4u(begin, end, where_of(at + DIGIT_BITS, 1u - side), 0u));
  }
}
