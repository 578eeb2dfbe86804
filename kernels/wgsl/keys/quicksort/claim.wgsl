//! needs: keys/key-{KEY_WORDS}, keys/values-none, keys/quicksort/thread-keys, keys/quicksort/lists
//! needs: keys/quicksort/tile-{VALUES}
// Quicksort, phase one, keys without values: partitions one section of a sequence, in any order.
//   keys[n], sequences, owners[sections] -> moved[n], claims[2 per sequence], sections[sections]; one workgroup of
//   THREADS per section, dispatched indirectly. For each tile of the section:
//   1. Threads count the keys smaller and larger than the pivot of the sequence.
//   2. Each thread claims its positions in the tile by fetch-and-add.
//   3. One thread claims room for the tile, in the same way: smaller keys from the sequence's beginning, larger ones
//      from its end backwards.
//   4. The elements go to their positions in workgroup memory, and from there to memory, coalesced.
//   Keys equal to the pivot are not moved: sort-pieces.wgsl writes them to their final places.
// Bytes moved: each key is read twice, the second time from the nearest cache, and written once.
// Source: Cederman and Tsigas 2008, section 3.2.1 and algorithm 2. They claim room once per section and read the
// section twice from memory; claiming it for each tile costs one more fetch-and-add and saves the second read.

struct Immediates { section_keys: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> moved: array<Key>;
@group(0) @binding(2) var<storage, read> sequences: array<Sequence>;
@group(0) @binding(3) var<storage, read> owners: array<u32>;
@group(0) @binding(4) var<storage, read_write> claims: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> sections: array<Section>;

/// Where the smaller and the larger keys of a tile begin.
var<workgroup> room: vec2u;

fn source_key(i: u32) -> Key { return encode_key(keys[i]); }
fn source_value(i: u32) -> u32 { return 0u; }

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) thread: u32) {
  let section = id.x;
  let owner = owners[section];
  let sequence = sequences[owner];
  let sequence_end = sequence.begin + sequence.length;
  let begin = sequence.begin + (section - sequence.first_section) * im.section_keys;
  let end = min(begin + im.section_keys, sequence_end);
  let pivot = sequence.pivot;
  var most_smaller = sequence.least;
  var least_larger = sequence.most;
  var all_smaller = 0u;
  var all_larger = 0u;
  for (var at = begin; at < end; at += TILE) {
    let found = partition_tile(thread, at, min(TILE, end - at), pivot);
    let smaller = found.x;
    let larger = found.y;
    if (thread == 0u) {
      room = vec2u(sequence.begin + atomicAdd(&claims[2u * owner], smaller),
        sequence_end - atomicAdd(&claims[2u * owner + 1u], larger) - larger);
    }
    workgroupBarrier();
    let places = room;
    let skipped = min(TILE, end - at) - larger;  // the larger keys come after these
    for (var i = thread; i < smaller; i += THREADS) {
      let key = tile_keys[i & (TILE - 1u)];
      most_smaller = later_key(most_smaller, key);
      moved[places.x + i] = decode_key(key);
    }
    for (var i = thread; i < larger; i += THREADS) {
      let key = tile_keys[(skipped + i) & (TILE - 1u)];
      least_larger = earlier_key(least_larger, key);
      moved[places.y + i] = decode_key(key);
    }
    all_smaller += smaller;
    all_larger += larger;
  }
  most_smaller = last_thread_key(thread, most_smaller);
  least_larger = first_thread_key(thread, least_larger);
  if (thread == 0u) { sections[section] = Section(all_smaller, all_larger, 0u, most_smaller, least_larger); }
}
