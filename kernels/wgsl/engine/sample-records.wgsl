//! needs: shared/launch, shared/record
// Samples a run: the records that contain given bytes, with the first of their ordered bytes.
//   text, starts, bytes[n] -> samples[n]: record number, first byte, length of the record and of the head, then the
//   head in SAMPLE_WORDS words, bytes in order; one thread per sample, workgroups of 64.
//   1. A binary search in starts over the records [from, to) finds the record.
//   2. The thread copies the record's first ordered bytes, with zeros after a shorter head.
// Bytes moved per sample: log2(records) words and the head read, 80 written.

struct Immediates { n: u32, from_record: u32, to_record: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> bytes: array<u32>;
@group(0) @binding(3) var<storage, read_write> samples: array<u32>;

const SAMPLE_WORDS = 16u;
const SAMPLE_STRIDE = 20u;  // words

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 64u + thread;
  if (i >= im.n) { return; }
  var low = im.from_record;
  var high = im.to_record;
  while (high - low > 1u) {
    let middle = low + (high - low) / 2u;
    if (record_start(middle) <= bytes[i]) { low = middle; } else { high = middle; }
  }
  let out = i * SAMPLE_STRIDE;
  samples[out] = low;
  samples[out + 1u] = record_start(low);
  samples[out + 2u] = record_length(low);
  samples[out + 3u] = min(ordered_length(low), SAMPLE_WORDS * 4u);
  for (var w = 0u; w < SAMPLE_WORDS; w++) {
    samples[out + 4u + w] = reversed_bytes(ordered_word(low, w * 4u));
  }
}
