//! needs: strings/next-bytes, strings/radix-refine/packing
// Packed keys: as many of a record's next symbols as fit into 64 bits, the first in the highest. A symbol is its rank
// in the alphabet, in byte order. If records differ in length, ranks begin at 1, and 0 follows the record's end: packed
// keys then compare as the bytes do, and a record that has ended never has the same key as one that has not. If all
// have one length, they end together. (Deshpande and Narayanan 2013 take 8 bytes; Drozd and Matsuoka 2013 take several
// symbols of a short alphabet as one digit.)
// A kernel that includes this file declares text, starts and vectors (strings/next-bytes.wgsl) and packing
// (packing.wgsl). It calls load_codes first.

var<workgroup> code_of: array<u32, 256>;

/// Loads the codes into workgroup memory. All 256 threads of the workgroup call it, then issue a barrier.
fn load_codes(thread: u32) { code_of[thread] = packing[CODES + thread]; }

/// The packed key of record i from its ordered byte `depth` as (high, low), with key_symbols(group_bits) symbols;
/// complemented if REVERSE, so that smaller means earlier.
fn packed_key(i: u32, depth: u32, group_bits: u32) -> vec2u {
  let bits = packing[SYMBOL_BITS];
  let length = ordered_length(i);
  // Zeros follow the record's end.
  let symbols = min(key_symbols(group_bits), max(length, depth) - depth);
  var high = 0u;
  var low = 0u;
  var word = 0u;
  var bytes = NextBytes();
  for (var s = 0u; s < symbols; s++) {
    if (s % NEXT_BYTES == 0u) { bytes = next_bytes(i, depth + s, min(NEXT_BYTES, symbols - s)); }
    if ((s & 3u) == 0u) { word = take_word(&bytes); }
    high = (high << bits) | (low >> (32u - bits));
    low = (low << bits) | code_of[word >> 24u];
    word <<= 8u;
  }
  let left = 64u - symbols * bits;
  if (left >= 32u) {
    high = low << (left & 31u);
    low = 0u;
  } else if (left > 0u) {
    high = (high << left) | (low >> (32u - left));
    low <<= left;
  }
  return select(vec2u(high, low), ~vec2u(high, low), REVERSE);
}
