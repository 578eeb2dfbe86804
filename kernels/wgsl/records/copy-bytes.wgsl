//! needs: shared/launch, shared/bytes
// Copies bytes between any byte addresses: one slice of a merge to its place after the slices before it.
//   text[source .. source + bytes) -> target_text[target .. target + bytes); one thread per word of the target, in
//   tiles of 1,024 words per workgroup of 256.
//   1. One unaligned read fetches the bytes of the word.
//   2. In a partial first word, the earlier bytes stay as they are.
//      In a partial last word, the later bytes become zeros.
// So slices that share a word must be copied in order of place, one dispatch after another.
// Bytes moved: 1 read and 1 written per byte.

struct Immediates { source: u32, target_byte: u32, bytes: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read_write> target_text: array<u32>;

const WORDS = 4u;  // per thread

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let first = im.target_byte / 4u + workgroup_number(id, grid) * (256u * WORDS) + thread;
  let end = im.target_byte + im.bytes;
  for (var i = 0u; i < WORDS; i++) {
    let word = first + i * 256u;
    let byte = max(word * 4u, im.target_byte);
    if (byte >= end) { return; }
    let skipped = byte - word * 4u;
    let taken = min(4u - skipped, end - byte);
    var value = low_bytes(text_little(im.source + (byte - im.target_byte)), taken) << (skipped * 8u);
    if (skipped > 0u) { value |= low_bytes(target_text[word], skipped); }
    target_text[word] = value;
  }
}
