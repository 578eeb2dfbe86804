//! needs: shared/launch, keys/key-{KEY_WORDS}
// Radix sort, reduce step of a pass: how often each digit occurs in each block of keys.
//   keys[n] -> counts[256 * blocks], all blocks of digit 0 first, then those of digit 1 ...;
//   one workgroup per block of `block_keys`.
//   1. Each thread scans its keys, with coalesced reads, and adds to the workgroup's counts only when the digit
//      changes. Otherwise sorted or equal input would make all threads add to one address.
//   2. The workgroup writes its counts.
// Bytes moved: each key read once, 1 KiB per block written.
// Source: Merrill and Grimshaw: Revisiting sorting for GPGPU stream architectures, 2010, section 3 (reduce-then-scan).

struct Immediates { n: u32, blocks: u32, block_keys: u32, shift: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

const RADIX = 256u;
const THREADS = 256u;
const ITEMS = 8u;  // loads in flight per thread

var<workgroup> totals: array<atomic<u32>, RADIX>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let block = workgroup_number(id, grid);
  if (block >= im.blocks) { return; }
  atomicStore(&totals[thread], 0u);
  workgroupBarrier();
  let begin = block * im.block_keys;
  let end = min(begin + im.block_keys, im.n);
  var digit = 0u;
  var count = 0u;
  for (var base = begin + thread; base < end; base += ITEMS * THREADS) {
    var next: array<u32, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) {
      next[k] = digit;
      let i = base + k * THREADS;
      if (i < end) { next[k] = key_bits(encode_key(keys[i]), im.shift) & (RADIX - 1u); }
    }
    for (var k = 0u; k < ITEMS; k++) {
      if (base + k * THREADS >= end) { continue; }
      if (next[k] != digit) {
        if (count > 0u) { atomicAdd(&totals[digit], count); }
        digit = next[k];
        count = 0u;
      }
      count++;
    }
  }
  if (count > 0u) { atomicAdd(&totals[digit], count); }
  workgroupBarrier();
  counts[thread * im.blocks + block] = atomicLoad(&totals[thread]);
}
