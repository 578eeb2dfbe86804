//! needs: key-{KEY_WORDS}, values-0, key-average-{KEY_WORDS}, thread-keys, quick-lists, quick-tile
// Quicksort, phase one, keys alone: one section of a sequence is partitioned, in any order.
//   keys[n], sequences, owners[sections] -> moved[n], claims[2 a sequence], sections[sections]; one workgroup of THREADS a
//   section, launched by the device's count. For each tile of the section:
//   1. Threads count what is smaller and larger than the pivot, the average of the sequence's first and last key.
//   2. Cumulative sums give each thread its places within the tile.
//   3. One thread reserves room for the tile by fetch-and-add: smaller ones from the sequence's begin on, larger ones from its end back.
//   4. The elements go to their places in workgroup memory, and from there side by side to memory.
//   Keys equal to the pivot stay away: they are written in their final places at the end (sort-pieces.wgsl).
// Bytes moved: each key is read twice, the second time from the nearest cache, and written once.
// Source: Cederman and Tsigas 2008, section 3.2.1 and algorithm 2. They reserve once a section and read it twice from memory; room for
// each tile costs one more fetch-and-add and saves that.

struct Immediates { section_keys: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> moved: array<Key>;
@group(0) @binding(2) var<storage, read> sequences: array<Sequence>;
@group(0) @binding(3) var<storage, read> owners: array<u32>;
@group(0) @binding(4) var<storage, read_write> claims: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> sections: array<Section>;

/// Where the smaller and the larger ones of a tile begin.
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
  let pivot = key_average(sequence.least, sequence.most);
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
    let skipped = min(TILE, end - at) - larger;  // the larger ones are behind those
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
