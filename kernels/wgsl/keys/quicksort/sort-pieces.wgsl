//! needs: keys/key-{KEY_WORDS}, keys/value-sides-{VALUES}, keys/quicksort/key-average-{KEY_WORDS}
//! needs: shared/thread-sums, keys/quicksort/thread-keys, keys/quicksort/lists, keys/quicksort/tile-{VALUES}
//! needs: keys/quicksort/bitonic
// Quicksort, phase two: each workgroup sorts one sequence alone, or puts settled elements in their places.
//   keys_0[n], keys_1[n], values_0[n], values_1[n], pieces -> keys_0[n], values_0[n]; one workgroup of THREADS per
//   piece, from piece `first_piece`, dispatched indirectly. While the stack holds sequences:
//   1. The top one is taken. If it fits the tile, a bitonic sort in workgroup memory puts it in place on side 0.
//   2. For others the pivot is the median of the first, the middle and the last key. After DEEP levels it is the
//      average of the least and the greatest key, which cannot fail more often than keys have bits.
//   3. With values, the threads count the smaller and the larger keys.
//   4. Tile by tile, elements get their positions on the other side: smaller ones from the beginning. Larger ones go,
//      with values, from their final position, in order; without, from the end backwards. Within a tile, positions are
//      prefix sums with values, and claimed by fetch-and-add without.
//   5. Keys equal to the pivot are written to their final places; pairs are copied there unless they are there already.
//   6. The two resulting sequences are pushed on the stack, the shorter one on top, so it never holds more than log2 n.
// Bytes moved per element and level: its key read twice, with values a third time, and written once;
// its value read and written once.
// Source: Cederman and Tsigas 2008, section 3.2.2 and algorithm 3; the pivot is Singleton's (1969).

struct Immediates { first_piece: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> keys_0: array<Key>;
@group(0) @binding(1) var<storage, read_write> keys_1: array<Key>;
@group(0) @binding(2) var<storage, read> pieces: array<Piece>;

const VALUES_BINDING = 3u;
const TILE_VALUES = TILE;

const STACK = 34u;
/// After this many levels the pivot is the average of the least and the greatest key.
override DEEP: u32 = 24u;

/// begin, length, side, level
var<workgroup> stack: array<vec4u, STACK>;
var<workgroup> stacked: u32;

/// The side being read.
var<private> source: u32;

fn load_key(side: u32, i: u32) -> Key {
  if (side == 0u) { return encode_key(keys_0[i]); }
  return encode_key(keys_1[i]);
}

fn store_key(side: u32, i: u32, key: Key) {
  if (side == 0u) { keys_0[i] = decode_key(key); } else { keys_1[i] = decode_key(key); }
}

fn source_key(i: u32) -> Key { return load_key(source, i); }
fn source_value(i: u32) -> u32 { return load_value_of(source, i); }

fn median_key(a: Key, b: Key, c: Key) -> Key {
  return later_key(earlier_key(a, b), earlier_key(later_key(a, b), c));
}

/// Puts settled elements [begin, end) of one key in their places on side 0; pairs are read from side 1.
fn settle(thread: u32, begin: u32, end: u32, key: Key) {
  for (var i = begin + thread; i < end; i += THREADS) {
    store_key(0u, i, key);
    store_value_of(0u, i, load_value_of(1u, i));
  }
}

/// Sorts elements [begin, begin + count), at most a tile, from the source to side 0.
fn sort_short(thread: u32, begin: u32, count: u32) {
  var size = 8u;
  while (size < count) { size <<= 1u; }
  for (var i = thread; i < size; i += THREADS) {
    var key = LAST_KEY;
    if (i < count) { key = source_key(begin + i); }
    tile_put(i, Pair(key, i));
  }
  workgroupBarrier();
  bitonic_sort(thread, size);
  // The source may be the target: all elements are read before any is written.
  if (VALUES == 1u) {
    for (var i = thread; i < count; i += THREADS) {
      let slot = bitonic_slot(i);
      put_tile_value(slot, source_value(begin + tile_value(slot)));
    }
  }
  storageBarrier();
  for (var i = thread; i < count; i += THREADS) {
    let pair = tile_get(i);
    store_key(0u, begin + i, pair.key);
    store_value_of(0u, begin + i, pair.value);
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) thread: u32) {
  let piece = pieces[im.first_piece + id.x];
  if (piece.settled == 1u) {
    settle(thread, piece.begin, piece.begin + piece.length, piece.key);
    return;
  }
  if (thread == 0u) {
    stack[0] = vec4u(piece.begin, piece.length, piece.side, 0u);
    stacked = 1u;
  }
  loop {
    let below = workgroupUniformLoad(&stacked) - 1u;
    if (below == 0xffffffffu) { break; }
    let top = workgroupUniformLoad(&stack[below]);
    let begin = top.x;
    let end = begin + top.y;
    source = top.z;
    if (top.y <= TILE) {
      sort_short(thread, begin, top.y);
      if (thread == 0u) { stacked = below; }
      continue;
    }

    var pivot = median_key(source_key(begin), source_key(begin + top.y / 2u), source_key(end - 1u));
    if (top.w >= DEEP) {
      var least = pivot;
      var most = pivot;
      for (var i = begin + thread; i < end; i += THREADS) {
        least = earlier_key(least, source_key(i));
        most = later_key(most, source_key(i));
      }
      least = first_thread_key(thread, least);
      most = last_thread_key(thread, most);
      pivot = key_average(least, most);
    }

    var all_smaller = 0u;
    var all_larger = 0u;
    if (VALUES == 1u) {
      for (var i = begin + thread; i < end; i += THREADS) {
        all_smaller += u32(key_before(source_key(i), pivot));
        all_larger += u32(key_before(pivot, source_key(i)));
      }
      all_smaller = thread_sums(thread, all_smaller).y;
      all_larger = thread_sums(thread, all_larger).y;
    }

    let other = 1u - source;
    var low = begin;
    var middle = begin + all_smaller;
    var high = end - all_larger;
    for (var at = begin; at < end; at += TILE) {
      let count = min(TILE, end - at);
      let found = partition_tile(thread, at, count, pivot);
      let smaller = found.x;
      let larger = found.y;
      let not_larger = count - larger;
      if (VALUES == 0u) { high -= larger; }
      for (var i = thread; i < count; i += THREADS) {
        var place = middle + i - smaller;
        if (i < smaller) { place = low + i; }
        if (i >= not_larger) { place = high + i - not_larger; }
        if (VALUES == 1u || i < smaller || i >= not_larger) {
          store_key(other, place, tile_keys[i & (TILE - 1u)]);
          store_value_of(other, place, tile_value(i & (TILE - 1u)));
        }
      }
      low += smaller;
      middle += not_larger - smaller;
      if (VALUES == 1u) { high += larger; }
    }
    if (VALUES == 1u) { high = end - all_larger; }
    // Waits until all threads have finished their reads and writes.
    storageBarrier();
    if (VALUES == 0u || other == 1u) { settle(thread, low, high, pivot); }
    if (thread == 0u) {
      let first = vec4u(begin, low - begin, other, top.w + 1u);
      let second = vec4u(high, end - high, other, top.w + 1u);
      let turn = first.y < second.y;
      let longer = select(first, second, turn);
      let shorter = select(second, first, turn);
      var next = below;
      if (longer.y > 0u) { stack[min(next, STACK - 1u)] = longer; next++; }
      if (shorter.y > 0u) { stack[min(next, STACK - 1u)] = shorter; next++; }
      stacked = next;
    }
  }
}
