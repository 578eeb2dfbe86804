//! needs: shared/launch, shared/starts
// Alphabet, step 1 of 3: which values the ordered bytes have.
//   text, starts[n + 1] -> found[256]: 1 for each byte that occurs in [starts[0], starts[n]), others unchanged; one
//   workgroup of 256 threads for each 16 KiB of text. Occurrences are not counted, so a byte seen before costs one
//   read. The delimiter of lines is left out; if KEY_SIZE != 0, only bytes of the keys of fixed records count.
// Bytes moved: the text, read once.
// Source: Drozd and Matsuoka, MSD Radix String Sort on GPU, section 3 (shorter alphabets, several symbols per digit).

struct Immediates { n: u32 }
var<immediate> im: Immediates;

override HAS_DELIMITER: bool = true;
override DELIMITER: u32 = 10u;
override KEY_AT: u32 = 0u;
override KEY_SIZE: u32 = 0u;

@group(0) @binding(0) var<storage, read> text: array<vec4u>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> found: array<atomic<u32>>;

const THREAD_VECTORS = 4u;
const TILE_VECTORS = 1024u;

var<workgroup> seen: array<atomic<u32>, 256>;

fn see(byte: u32) {
  if (atomicLoad(&seen[byte & 255u]) == 0u) { atomicStore(&seen[byte & 255u], 1u); }
}

fn see_word(word: u32) {
  see(word & 255u);
  see((word >> 8u) & 255u);
  see((word >> 16u) & 255u);
  see(word >> 24u);
}

/// Examines byte by byte, only those in [begin, end) and in a key.
fn see_some(vector: vec4u, address: u32, begin: u32, end: u32) {
  for (var i = 0u; i < 16u; i++) {
    let at = address + i;
    if (at < begin || at >= end) { continue; }
    if (KEY_SIZE != 0u && ((at - begin) % max(RECORD_SIZE, 1u)) - KEY_AT >= KEY_SIZE) { continue; }
    see((vector[i >> 2u] >> ((i & 3u) * 8u)) & 255u);
  }
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  atomicStore(&seen[thread], 0u);
  workgroupBarrier();
  let begin = record_start(0);
  let end = record_start(im.n);
  let first = workgroup_number(id, grid) * TILE_VECTORS + thread;
  for (var k = 0u; k < THREAD_VECTORS; k++) {
    let address = (first + k * 256u) * 16u;
    if (address < end && address + 16u > begin) {
      let vector = text[first + k * 256u];
      if (KEY_SIZE == 0u && address >= begin && address + 16u <= end) {
        see_word(vector.x);
        see_word(vector.y);
        see_word(vector.z);
        see_word(vector.w);
      } else {
        see_some(vector, address, begin, end);
      }
    }
  }
  workgroupBarrier();
  if (atomicLoad(&seen[thread]) == 0u || (HAS_DELIMITER && thread == DELIMITER)) { return; }
  if (atomicLoad(&found[thread]) == 0u) { atomicStore(&found[thread], 1u); }
}
