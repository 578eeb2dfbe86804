//! needs: shared/launch, shared/bytes
// Finds what may be blocks of BGZF, by the bytes of their headers, in compressed text [begin, end).
//   text -> count, found[0..count) in any order (a block's first byte, its bytes, its CRC-32, the bytes of its text);
//   a thread looks for a block at each of the 4 bytes of a word, workgroups of 256.
// Compressed bytes may look like a header, so the host follows the blocks from the first one: each ends where the next
// one begins. Only blocks that end before `end`, with the extra field as htslib writes it, are found. Of more than
// `most` blocks only the count is right.
// Bytes moved: 1 read per byte, 16 written per block.

struct Immediates { begin: u32, end: u32, most: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> count: atomic<u32>;

const MAGIC = 0x04088b1fu;  // gzip, deflate, an extra field
const EXTRA = 0x43420006u;  // its length, 6, and the name of the only field in it, 'BC'
const HEADER_BYTES = 18u;
const TRAILER_BYTES = 8u;

fn note_block(at: u32) {
  if (at < im.begin || at + HEADER_BYTES + TRAILER_BYTES > im.end || text_little(at) != MAGIC) { return; }
  if (text_little(at + 10u) != EXTRA || (text_little(at + 14u) & 0xffffu) != 2u) { return; }
  let bytes = (text_little(at + 16u) & 0xffffu) + 1u;
  if (bytes < HEADER_BYTES + TRAILER_BYTES || at + bytes > im.end) { return; }
  let i = atomicAdd(&count, 1u);
  if (i >= im.most) { return; }
  found[i] = vec4u(at, bytes, text_little(at + bytes - 8u), text_little(at + bytes - 4u));
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let at = (im.begin & ~3u) + (workgroup_number(id, grid) * 256u + thread) * 4u;
  if (at >= im.end) { return; }
  let low = text[at >> 2u];
  let high = text[(at >> 2u) + 1u];
  for (var i = 0u; i < 4u; i++) {
    if (((low >> (i * 8u)) | ((high << 1u) << (31u - i * 8u))) == MAGIC) { note_block(at + i); }
  }
}
