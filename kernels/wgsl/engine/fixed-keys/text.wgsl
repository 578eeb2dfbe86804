//! needs: shared/launch, shared/words, engine/fixed-keys/layout
// Writes the records from number `first` on whose bytes are all in their keys and values.
//   keys[n] (layout.wgsl), values[n] (unused if keys hold whole records) -> out[bytes], with any bytes up to the next
//   word; one thread per word of the output, in tiles of 1,024 words per workgroup of 256.
//   Records of whole words whose key comes first are copied word by word; others byte by byte.
// Bytes moved: 1 read and 1 written per byte.

struct Immediates { bytes: u32, first: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

const WORDS = 4u;  // per thread

/// A word of a key, the first byte in the lowest.
fn key_bytes(record: u32, word: u32) -> u32 {
  let code = keys[key_word_place(record, word)];
  return reversed_bytes(select(code, ~code, REVERSE));
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid) * (256u * WORDS) + thread;
  for (var i = 0u; i < WORDS; i++) {
    let place = tile + i * 256u;
    let byte = place * 4u;
    if (byte >= im.bytes) { return; }
    if (RECORD_SIZE % 4u == 0u && KEY_BYTES % 4u == 0u && KEY_OFFSET == 0u) {
      let record = im.first + byte / RECORD_SIZE;
      let word = byte % RECORD_SIZE / 4u;
      if (word * 4u < KEY_BYTES) { out[place] = key_bytes(record, word); } else { out[place] = values[record]; }
      continue;
    }
    var result = 0u;
    for (var b = 0u; b < 4u && byte + b < im.bytes; b++) {
      let record = im.first + (byte + b) / RECORD_SIZE;
      let at = place_in_key((byte + b) % RECORD_SIZE);
      var word: u32;
      if (at < KEY_BYTES) { word = key_bytes(record, at / 4u) >> (at % 4u * 8u); } else {
        word = values[record] >> ((at - KEY_BYTES) * 8u);
      }
      result |= (word & 255u) << (b * 8u);
    }
    out[place] = result;
  }
}
