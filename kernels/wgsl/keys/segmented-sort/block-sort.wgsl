//! needs: shared/launch, keys/segmented-sort/tile, keys/sort-eight-{NETWORK}, keys/values-{VALUES}
// Segmented block sort: sorts the keys of each segment inside each tile.
//   keys[n], values[n], head flags (bit i % 32 of word i / 32: element i begins a segment; not read unless SEGMENTED)
//   -> sorted_keys[n], sorted_values[n], ranges[tiles] = the tile's first and last head (NO_HEAD and 0 if none).
//   Elements outside that range belong to segments that extend beyond the tile: its active range.
//   One workgroup of TILE / 8 threads per tile, from tile `first_tile`.
//   1. The workgroup reads the tile into workgroup memory, padded with keys that come last.
//   2. Each thread sorts eight adjacent items in registers, by a network that is stable if they have values. Items of
//      different segments are never swapped.
//   3. Adjacent lists are merged, 8 and 8, 16 and 16, ...; each thread makes eight items of the result. Only the
//      segment that spans the border of two lists mixes, between the last head of the left list and the first of the
//      right one. Both are kept for each list and combined with the lists, in a binary tree. If a thread's eight items
//      stay (they are in other segments, or in order with the other list), it keeps them in registers and does nothing.
//   4. The workgroup writes the tile.
// Bytes moved per item: 4 for each word of a key and value, both read and written; a bit for its flag.
// Source: Baxter, Segmented Sort and Locality Sort, "Segmented blocksort"; skipping idle threads is left open there.

struct Immediates { n: u32, tiles: u32, first_tile: u32 }
var<immediate> im: Immediates;

override SEGMENTED: bool = true;

const VALUES_BINDING = 4u;
const NO_HEAD = 0xffffffffu;

@group(0) @binding(0) var<storage, read> flags: array<u32>;
@group(0) @binding(1) var<storage, read> keys: array<Key>;
@group(0) @binding(2) var<storage, read_write> sorted_keys: array<Key>;
@group(0) @binding(3) var<storage, read_write> ranges: array<vec2u>;

/// For each list, the first head (TILE: none) and, in the high half, the last head (0: none, or the first item).
var<workgroup> list_ranges: array<u32, THREADS>;

fn joined_range(a: u32, b: u32) -> u32 {
  return min(a & 0xffffu, b & 0xffffu) | max(a & 0xffff0000u, b & 0xffff0000u);
}

/// The flags of the eight items from i, a multiple of 8; none past the end of the input.
fn heads_of(i: u32) -> u32 {
  if (i >= im.n) { return 0u; }
  let heads = (flags[i >> 5u] >> (i & 24u)) & 0xffu;
  return select(heads, heads & ((1u << ((im.n - i) & 7u)) - 1u), im.n - i < 8u);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = im.first_tile + workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  let base = tile * TILE;
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    var pair = Pair(LAST_KEY, 0u);
    if (base + i < im.n) { pair = Pair(encode_key(keys[base + i]), load_value(base + i)); }
    tile_put(i, pair);
  }
  let first = thread * PER_THREAD;
  var heads = 0u;
  if (SEGMENTED) { heads = heads_of(base + first); }
  workgroupBarrier();

  var eight = sorted_eight(get_eight(first, 1u), heads);
  // No barrier: only this thread reads these items.
  put_eight(first, 1u, eight);
  var range = TILE;
  if (heads != 0u) { range = (first + firstTrailingBit(heads)) | ((first + firstLeadingBit(heads)) << 16u); }
  list_ranges[thread] = range;
  workgroupBarrier();

  for (var level = 0u; PER_THREAD << level < TILE; level++) {
    let width = PER_THREAD << level;
    let a = first & ~(2u * width - 1u);
    let b = a + width;
    let right = (first & width) != 0u;
    let list = thread >> level;
    let sibling = list_ranges[(list ^ 1u) & (THREADS - 1u)];
    let mixed_from = max(a, select(range, sibling, right) >> 16u);
    let mixed_end = min(b + width, select(sibling, range, right) & 0xffffu);
    range = joined_range(range, sibling);
    var moves = false;
    if (right) {
      moves = first < mixed_end && key_before(eight.p0.key, tile_key(b - 1u));
    } else {
      moves = mixed_end > b && first + PER_THREAD > mixed_from && key_before(tile_key(b), eight.p7.key);
    }
    if (moves) {
      var from_a = first - a;
      if (first > mixed_from) {
        from_a = mixed_from - a + tile_search(mixed_from, b - mixed_from, b, mixed_end - b, first - mixed_from);
      }
      eight = merged_eight(tile_merger(a + from_a, b + (first - a) - from_a, b, mixed_from, mixed_end));
    }
    workgroupBarrier();
    if (moves) { put_eight(first, 1u, eight); }
    if (first == a) { list_ranges[list >> 1u] = range; }
    workgroupBarrier();
  }

  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    if (base + i < im.n) {
      let pair = tile_get(i);
      sorted_keys[base + i] = decode_key(pair.key);
      store_value(base + i, pair.value);
    }
  }
  if (thread == 0u) {
    let start = range & 0xffffu;
    ranges[tile] = select(vec2u(base + start, base + (range >> 16u)), vec2u(NO_HEAD, 0u), start == TILE);
  }
}
