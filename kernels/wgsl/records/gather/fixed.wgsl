//! needs: shared/launch, shared/bytes
// Gather for records of one size, in one step.
//   text, order[n] (record numbers) -> out[n * RECORD_SIZE bytes], zeros up to the next word; one thread per word of
//   the output, in tiles of 1,024 words per workgroup of 256.
//   1. A word inside a record is one read, which is unaligned if the size is no multiple of 4.
//   2. A word that spans records is one read for each.
//   Neighboring threads write neighboring words, so both sides are as coalesced as records are long.
// Bytes moved: 1 read per byte of text (in whole sectors of 32), 4 read per record, 1 written per byte.

override RECORD_SIZE: u32 = 4u;

struct Immediates { bytes: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

const WORDS = 4u;  // per thread

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let first = workgroup_number(id, grid) * (256u * WORDS) + thread;
  for (var i = 0u; i < WORDS; i++) {
    let place = first + i * 256u;
    let byte = place * 4u;
    if (byte >= im.bytes) { return; }
    var record = byte / RECORD_SIZE;
    var at = byte % RECORD_SIZE;
    if (RECORD_SIZE % 4u == 0u) {
      out[place] = text[order[record] * (RECORD_SIZE / 4u) + at / 4u];
      continue;
    }
    var word = 0u;
    var filled = 0u;
    while (filled < 4u && byte + filled < im.bytes) {
      let count = min(4u - filled, RECORD_SIZE - at);
      word |= low_bytes(text_little(order[record] * RECORD_SIZE + at), count) << (filled * 8u);
      filled += count;
      record++;
      at = 0u;
    }
    out[place] = word;
  }
}
