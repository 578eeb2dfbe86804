// Partitions one tile of keys without values around a pivot in workgroup memory, in any order. Threads read every
// THREADS-th key, coalesced, and claim room in the tile by fetch-and-add, as workgroups do in memory.
// Needs key-{KEY_WORDS}. The host prepends `const TILE` and `const THREADS`, powers of two, TILE at least four times
// THREADS. The kernel declares
//   fn source_key(i: u32) -> Key      code of input element i
// Source: Cederman and Tsigas 2008, section 3.2.1, whose threads sum their counts instead.

const PER_THREAD = TILE / THREADS;

var<workgroup> tile_keys: array<Key, TILE>;
var<workgroup> claimed: atomic<u32>;  // smaller keys, and in the upper half of the word larger ones

/// A key's part as a word like `claimed`; 0 if it is not `valid`.
fn part_of(key: Key, pivot: Key, valid: bool) -> u32 {
  return u32(valid & key_before(key, pivot)) + (u32(valid & key_before(pivot, key)) << 16u);
}

/// Puts a key into its part of the tile; returns the next places. Keys equal to the pivot are not moved.
fn put_part(places: vec2u, key: Key, pivot: Key, valid: bool) -> vec2u {
  let part = part_of(key, pivot, valid);
  if (part != 0u) { tile_keys[select(places.y, places.x, part == 1u) & (TILE - 1u)] = key; }
  return places + vec2u(part & 1u, part >> 16u);
}

/// Puts those of elements [at, at + count) before the pivot at the tile's beginning, those after it at the end of its
/// first `count` places. Returns how many come before and after. Every thread must call it; it ends with a barrier, and
/// the tile stays valid until the next call.
fn partition_tile(thread: u32, at: u32, count: u32, pivot: Key) -> vec2u {
  let last = count - 1u;
  var found = 0u;
  for (var k = 0u; k < PER_THREAD; k += 4u) {
    let i = thread + k * THREADS;
    // Clamping instead of branching lets loads overlap.
    let key0 = source_key(at + min(i, last));
    let key1 = source_key(at + min(i + THREADS, last));
    let key2 = source_key(at + min(i + 2u * THREADS, last));
    let key3 = source_key(at + min(i + 3u * THREADS, last));
    found += part_of(key0, pivot, i <= last) + part_of(key1, pivot, i + THREADS <= last)
      + part_of(key2, pivot, i + 2u * THREADS <= last) + part_of(key3, pivot, i + 3u * THREADS <= last);
  }
  if (thread == 0u) { atomicStore(&claimed, 0u); }
  workgroupBarrier();
  let mine = atomicAdd(&claimed, found);
  workgroupBarrier();
  let all = atomicLoad(&claimed);
  let larger = all >> 16u;
  var places = vec2u(mine & 0xffffu, count - larger + (mine >> 16u));
  // Read again: they are in the nearest cache.
  for (var k = 0u; k < PER_THREAD; k += 4u) {
    let i = thread + k * THREADS;
    let key0 = source_key(at + min(i, last));
    let key1 = source_key(at + min(i + THREADS, last));
    let key2 = source_key(at + min(i + 2u * THREADS, last));
    let key3 = source_key(at + min(i + 3u * THREADS, last));
    places = put_part(places, key0, pivot, i <= last);
    places = put_part(places, key1, pivot, i + THREADS <= last);
    places = put_part(places, key2, pivot, i + 2u * THREADS <= last);
    places = put_part(places, key3, pivot, i + 3u * THREADS <= last);
  }
  workgroupBarrier();
  return vec2u(all & 0xffffu, larger);
}
