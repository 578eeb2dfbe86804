//! needs: strings/msd-radix/bins
// The two sides that entries move between, at bindings 0 to 3 of a kernel, and a tile of entries in workgroup memory.

@group(0) @binding(0) var<storage, read_write> keys_a: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> tags_a: array<u32>;
@group(0) @binding(2) var<storage, read_write> keys_b: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> tags_b: array<u32>;

var<workgroup> tile_high: array<u32, TILE>;
var<workgroup> tile_low: array<u32, TILE>;
var<workgroup> tile_tag: array<u32, TILE>;

/// In place of a digit's position: the digit begins at the first bit in which the entries differ.
const WHERE_THEY_DIFFER = 0xffffffffu;

var<workgroup> digit_at: u32;

fn load_entry(side: u32, i: u32) -> Entry {
  if (side == 0u) {
    let key = keys_a[i];
    return Entry(key.x, key.y, tags_a[i]);
  }
  let key = keys_b[i];
  return Entry(key.x, key.y, tags_b[i]);
}

fn store_entry(side: u32, i: u32, entry: Entry) {
  if (side == 0u) {
    keys_a[i] = vec2u(entry.high, entry.low);
    tags_a[i] = entry.tag;
  } else {
    keys_b[i] = vec2u(entry.high, entry.low);
    tags_b[i] = entry.tag;
  }
}

fn tile_get(i: u32) -> Entry {
  return Entry(tile_high[i & (TILE - 1u)], tile_low[i & (TILE - 1u)], tile_tag[i & (TILE - 1u)]);
}

fn tile_put(i: u32, entry: Entry) {
  tile_high[i & (TILE - 1u)] = entry.high;
  tile_low[i & (TILE - 1u)] = entry.low;
  tile_tag[i & (TILE - 1u)] = entry.tag;
}

/// Entry i of those from `begin`, or the first one if i is `count` or more.
fn load_or_first(side: u32, begin: u32, count: u32, i: u32) -> Entry {
  return load_entry(side, begin + select(0u, i, i < count));
}

/// Counts an entry of the tile; returns how many of its digit were counted before.
fn claim(entry: Entry, at: u32, counted: bool) -> u32 {
  if (!counted) { return 0u; }
  return atomicAdd(&bins[digit_of(entry, at) & (BINS - 1u)], 1u);
}

fn put_claimed(entry: Entry, at: u32, counted: bool, rank: u32) {
  if (counted) { tile_put(atomicLoad(&bins[digit_of(entry, at) & (BINS - 1u)]) + rank, entry); }
}

/// Reads `count` entries (at most TILE) from `begin` into the tile, grouped by their digit at `wanted`, a bit or
/// WHERE_THEY_DIFFER; returns the bit used. Entries of one digit come in any order. `bins` then holds where each
/// digit's entries begin in the tile. Every thread calls it with the same arguments; it ends with a barrier.
fn arrange(thread: u32, side: u32, begin: u32, count: u32, wanted: u32) -> u32 {
  clear_bins(thread);
  let e0 = load_or_first(side, begin, count, thread);
  let e1 = load_or_first(side, begin, count, thread + THREADS);
  let e2 = load_or_first(side, begin, count, thread + 2u * THREADS);
  let e3 = load_or_first(side, begin, count, thread + 3u * THREADS);
  let e4 = load_or_first(side, begin, count, thread + 4u * THREADS);
  let e5 = load_or_first(side, begin, count, thread + 5u * THREADS);
  let e6 = load_or_first(side, begin, count, thread + 6u * THREADS);
  let e7 = load_or_first(side, begin, count, thread + 7u * THREADS);
  workgroupBarrier();
  var at = wanted;
  if (wanted == WHERE_THEY_DIFFER) {
    let first = load_entry(side, begin);
    note_differing(
      (e0.high ^ first.high) | (e1.high ^ first.high) | (e2.high ^ first.high) | (e3.high ^ first.high) |
      (e4.high ^ first.high) | (e5.high ^ first.high) | (e6.high ^ first.high) | (e7.high ^ first.high),
      (e0.low ^ first.low) | (e1.low ^ first.low) | (e2.low ^ first.low) | (e3.low ^ first.low) |
      (e4.low ^ first.low) | (e5.low ^ first.low) | (e6.low ^ first.low) | (e7.low ^ first.low),
      (e0.tag ^ first.tag) | (e1.tag ^ first.tag) | (e2.tag ^ first.tag) | (e3.tag ^ first.tag) |
      (e4.tag ^ first.tag) | (e5.tag ^ first.tag) | (e6.tag ^ first.tag) | (e7.tag ^ first.tag));
    workgroupBarrier();
    if (thread == 0u) {
      digit_at = first_bit(atomicLoad(&differing[0]), atomicLoad(&differing[1]), atomicLoad(&differing[2]));
    }
    at = workgroupUniformLoad(&digit_at);
  }
  let r0 = claim(e0, at, thread < count);
  let r1 = claim(e1, at, thread + THREADS < count);
  let r2 = claim(e2, at, thread + 2u * THREADS < count);
  let r3 = claim(e3, at, thread + 3u * THREADS < count);
  let r4 = claim(e4, at, thread + 4u * THREADS < count);
  let r5 = claim(e5, at, thread + 5u * THREADS < count);
  let r6 = claim(e6, at, thread + 6u * THREADS < count);
  let r7 = claim(e7, at, thread + 7u * THREADS < count);
  scan_bins(thread);
  put_claimed(e0, at, thread < count, r0);
  put_claimed(e1, at, thread + THREADS < count, r1);
  put_claimed(e2, at, thread + 2u * THREADS < count, r2);
  put_claimed(e3, at, thread + 3u * THREADS < count, r3);
  put_claimed(e4, at, thread + 4u * THREADS < count, r4);
  put_claimed(e5, at, thread + 5u * THREADS < count, r5);
  put_claimed(e6, at, thread + 6u * THREADS < count, r6);
  put_claimed(e7, at, thread + 7u * THREADS < count, r7);
  workgroupBarrier();
  return at;
}
