//! needs: shared/launch, strings/next-bytes, strings/msd-radix/bins
// The initial entries of an MSD radix sort: as many symbols as 64 bits hold, the first in the highest bits. Also counts
// the first digit.
//   text, starts[n + 1], packing (symbol-table.wgsl) -> keys[n] (high, low), tags[n], counters[0 .. digits) (added to);
//   workgroups of TILE / 8 threads, 8 records per thread. REVERSE complements the symbols.
//   Does nothing unless packing says that the first digit has this kernel's width.
//   A tag is LONG if the record has ordered bytes after the packed ones, else its code is 0. Records of equal keys
//   either both continue, or both end at one place, or one ends just after the packed symbols:
//   code 0 then puts it first.
// Bytes moved per record: 4 of starts and its first bytes read, 16 at a time; 12 written.
// Source: Drozd and Matsuoka, sections 3 (packed symbols, 32 bytes loaded at once) and 4
// (the first symbols chopped off).

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> packing: array<u32>;
@group(0) @binding(3) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> tags: array<u32>;
@group(0) @binding(5) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read> vectors: array<vec4u>;

var<workgroup> codes: array<u32, 256>;

/// The packed symbols of record i.
fn packed_key(i: u32, length: u32, bits: u32, symbols: u32, base: u32) -> vec2u {
  var high = 0u;
  var low = 0u;
  var word = 0u;
  var bytes = NextBytes();
  for (var s = 0u; s < symbols; s++) {
    let at = base + s;
    var code = 0u;
    if ((s & 3u) == 0u) {
      // The record has ended: the remaining symbols are zeros.
      if (at >= length) {
        let left = (symbols - s) * bits;
        if (left >= 32u) {
          high = low << (left - 32u);
          low = 0u;
        } else {
          high = (high << left) | ((low >> 1u) >> (31u - left));
          low <<= left;
        }
        break;
      }
      if (s % NEXT_BYTES == 0u) { bytes = next_bytes(i, at, min(NEXT_BYTES, min(symbols - s, length - at))); }
      word = take_word(&bytes);
    }
    if (at < length) { code = codes[word >> 24u]; }
    word <<= 8u;
    high = (high << bits) | (low >> (32u - bits));
    low = (low << bits) | code;
  }
  // If symbols do not fill 64 bits, the lowest bits are zeros.
  let rest = 64u - symbols * bits;
  if (rest != 0u) { high = (high << rest) | (low >> (32u - rest)); low <<= rest; }
  return select(vec2u(high, low), ~vec2u(high, low), REVERSE);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  if (packing[3] != DIGIT_BITS) { return; }
  for (var b = thread; b < 256u; b += THREADS) { codes[b & 255u] = packing[4u + b]; }
  clear_bins(thread);
  workgroupBarrier();
  let bits = packing[0];
  let symbols = packing[1];
  let base = packing[2];
  let first = workgroup_number(id, grid) * TILE + thread;
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = first + k * THREADS;
    if (i < im.n) {
      let length = ordered_length(i);
      let key = packed_key(i, length, bits, symbols, base);
      let code = select(0u, LONG, length > base + symbols);
      let entry = Entry(key.x, key.y, (select(code, 15u - code, REVERSE) << NUMBER_BITS) | i);
      keys[i] = key;
      tags[i] = entry.tag;
      atomicAdd(&bins[digit_of(entry, 0u) & (BINS - 1u)], 1u);
    }
  }
  workgroupBarrier();
  for (var b = thread; b < BINS; b += THREADS) {
    let count = atomicLoad(&bins[b & (BINS - 1u)]);
    if (count != 0u) { atomicAdd(&counters[b], count); }
  }
}
