//! needs: shared/launch, shared/bytes, engine/fixed-keys/layout
// Makes the keys of fixed records, with a value for each.
//   text -> keys[n] (layout.wgsl), and values[n]: nothing if WITH is 0, the record's number if it is 1, its bytes
//   outside the key (at most 4) if it is 2; one thread per record, workgroups of 256.
//   A word of a key is one unaligned read if its bytes are neighbors in the record; else one per byte.
// Bytes moved per record: the key (in sectors of 32) read; the key and the value written.

override WITH: u32 = 0u;

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;

/// Up to four bytes of the record that begins at `begin`, from place `place` up to `end`, the first in the lowest byte.
fn placed_bytes(begin: u32, place: u32, end: u32) -> u32 {
  let count = min(4u, end - place);
  let first = place_in_record(place);
  if (place_in_record(place + count - 1u) == first + count - 1u) {
    return low_bytes(text_little(begin + first), count);
  }
  var word = 0u;
  for (var i = 0u; i < count; i++) {
    word |= (text_little(begin + place_in_record(place + i)) & 255u) << (i * 8u);
  }
  return word;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let begin = i * RECORD_SIZE;
  for (var w = 0u; w < KEY_WORDS; w++) {
    var word = 0u;
    if (w * 4u < KEY_BYTES) { word = reversed_bytes(placed_bytes(begin, w * 4u, KEY_BYTES)); }
    keys[key_word_place(i, w)] = select(word, ~word, REVERSE);
  }
  if (WITH == 1u) { values[i] = i; }
  if (WITH == 2u) { values[i] = placed_bytes(begin, KEY_LENGTH, RECORD_SIZE); }
}
