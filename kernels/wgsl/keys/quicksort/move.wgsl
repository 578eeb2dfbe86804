//! needs: keys/key-{KEY_WORDS}, keys/values-{VALUES}, keys/quicksort/lists
//! needs: keys/quicksort/tile-{VALUES}
// Quicksort, phase one, pairs, second pass: moves the elements of a section to their places, in order.
//   keys[n], values[n], sequences, owners[sections], sections[sections] (positions) -> moved[n], sorted_values[n]; one
//   workgroup of THREADS per section, dispatched indirectly. For each tile of the section, in order:
//   1. Each thread counts the smaller and the larger of its adjacent keys.
//   2. Prefix sums give each element its position in the tile.
//   3. The elements go there in workgroup memory, and from there to memory, coalesced.
// Bytes moved: each key is read twice, the second time from the nearest cache, and written once;
// each value is read and written once.
// Source: Cederman and Tsigas 2008, sections 3.1.1 and 3.2.1. They sum sections in order of arrival; summing them in
// input order keeps equal keys in input order.

struct Immediates { section_keys: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> moved: array<Key>;
@group(0) @binding(2) var<storage, read> sequences: array<Sequence>;
@group(0) @binding(3) var<storage, read> owners: array<u32>;
@group(0) @binding(4) var<storage, read> sections: array<Section>;

const VALUES_BINDING = 5u;
const TILE_VALUES = TILE;

fn source_key(i: u32) -> Key { return encode_key(keys[i]); }
fn source_value(i: u32) -> u32 { return load_value(i); }

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) thread: u32) {
  let section = id.x;
  let sequence = sequences[owners[section]];
  let begin = sequence.begin + (section - sequence.first_section) * im.section_keys;
  let end = min(begin + im.section_keys, sequence.begin + sequence.length);
  let pivot = sequence.pivot;
  var low = sections[section].smaller;
  var high = sections[section].larger;
  var middle = sections[section].equal;
  for (var at = begin; at < end; at += TILE) {
    let count = min(TILE, end - at);
    let found = partition_tile(thread, at, count, pivot);
    let smaller = found.x;
    let not_larger = count - found.y;
    for (var i = thread; i < count; i += THREADS) {
      var place = middle + i - smaller;
      if (i < smaller) { place = low + i; }
      if (i >= not_larger) { place = high + i - not_larger; }
      moved[place] = decode_key(tile_keys[i & (TILE - 1u)]);
      store_value(place, tile_value(i & (TILE - 1u)));
    }
    low += smaller;
    middle += not_larger - smaller;
    high += found.y;
  }
}
