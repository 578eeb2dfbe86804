//! needs: shared/launch
// Radix-refine, step 1: which bytes the text contains.
//   text[bytes] -> present[8] (zeros before): bit b % 32 of word b / 32 is set if byte b occurs; one workgroup of 256
//   threads per tile of 64 KiB.
//   In rounds of 4 KiB, each byte is looked up among those seen up to the round before. Only new ones are written,
//   because atomics and even loads of one address are serialized.
// Reads the text once. Source: Drozd and Matsuoka: MSD Radix String Sort on GPU, 2013 (shorter alphabets).

struct Immediates { bytes: u32, tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> present: array<atomic<u32>, 8>;

const ROUNDS = 16u;

var<workgroup> seen: array<atomic<u32>, 8>;
var<workgroup> known: array<u32, 8>;  // seen before this round

fn see(byte: u32) {
  let bit = 1u << (byte & 31u);
  if ((known[byte >> 5u] & bit) == 0u) { atomicOr(&seen[byte >> 5u], bit); }
}

fn see_word(word: u32) {
  see(word & 255u);
  see((word >> 8u) & 255u);
  see((word >> 16u) & 255u);
  see(word >> 24u);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  if (thread < 8u) { atomicStore(&seen[thread], 0u); }
  for (var k = 0u; k < ROUNDS; k++) {
    workgroupBarrier();
    if (thread < 8u) { known[thread] = atomicLoad(&seen[thread]); }
    workgroupBarrier();
    let vector = (tile * ROUNDS + k) * 256u + thread;
    let at = vector * 16u;
    if (at + 16u <= im.bytes) {
      let words = text[vector];
      see_word(words.x);
      see_word(words.y);
      see_word(words.z);
      see_word(words.w);
    } else {
      for (var b = at; b < im.bytes; b++) { see((text[vector][(b >> 2u) & 3u] >> ((b & 3u) * 8u)) & 255u); }
    }
  }
  workgroupBarrier();
  if (thread < 8u) {
    let bits = atomicLoad(&seen[thread]);
    if ((bits & ~atomicLoad(&present[thread])) != 0u) { atomicOr(&present[thread], bits); }
  }
}
