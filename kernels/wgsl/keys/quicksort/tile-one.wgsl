//! needs: shared/thread-sums
// Partitions one tile around a pivot in workgroup memory, in two passes: count; then, with the prefix sums, move.
// Keeps the order of equal keys, as pairs need it.
// Needs key-{KEY_WORDS}, and values-one or value-sides-one. The host prepends `const TILE` and
// `const THREADS`, powers of two. The kernel declares
//   fn source_key(i: u32) -> Key      code of input element i
//   fn source_value(i: u32) -> u32    its value

const PER_THREAD = TILE / THREADS;  // adjacent elements

var<workgroup> tile_keys: array<Key, TILE>;

/// Puts elements [at, at + count) into the tile: those before the pivot, those equal to it, those after it, each part
/// in input order. Returns how many come before and after. Every thread must call it; it ends with a barrier, and the
/// tile stays valid until the next call.
fn partition_tile(thread: u32, at: u32, count: u32, pivot: Key) -> vec2u {
  let first = min(thread * PER_THREAD, count);
  let end = min(first + PER_THREAD, count);
  // The upper half of the word counts the larger elements.
  var found = 0u;
  for (var i = first; i < end; i++) {
    let key = source_key(at + i);
    found += u32(key_before(key, pivot)) + (u32(key_before(pivot, key)) << 16u);
  }
  let sums = thread_sums(thread, found);
  let smaller = sums.y & 0xffffu;
  let larger = sums.y >> 16u;
  var low = sums.x & 0xffffu;
  var high = sums.x >> 16u;
  var middle = smaller + first - low - high;
  high += count - larger;
  // Read again: they are in the nearest cache.
  for (var i = first; i < end; i++) {
    let key = source_key(at + i);
    var place = middle;
    if (key_before(key, pivot)) {
      place = low;
      low++;
    } else if (key_before(pivot, key)) {
      place = high;
      high++;
    } else {
      middle++;
    }
    place &= TILE - 1u;
    tile_keys[place] = key;
    put_tile_value(place, source_value(at + i));
  }
  workgroupBarrier();
  return vec2u(smaller, larger);
}
