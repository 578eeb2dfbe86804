//! needs: strings/radix-refine/packing
// Radix-refine, step 3: the codes of symbols, in byte order.
//   present[8] (alphabet.wgsl), shape[3] (common-prefix.wgsl) -> packing (packing.wgsl); the first digit has im.wide
//   bits if symbols take at most im.short, else im.narrow. One workgroup of 256 threads.
//   A record's end comes before every byte, so it is symbol 0 if records differ in length. If all have one length, no
//   such symbol is needed: four letters take 2 bits.
// Source: Drozd and Matsuoka: MSD Radix String Sort on GPU, 2013 (shorter alphabets).

override REVERSE: bool = false;
override DELIMITER: u32 = 256u;  // the byte that occurs only at the end of records; 256: none

struct Immediates { narrow: u32, wide: u32, short: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> present: array<u32, 8>;
@group(0) @binding(1) var<storage, read> shape: array<u32, 3>;
@group(0) @binding(2) var<storage, read_write> packing: array<u32>;

/// The bits of those of the 32 bytes from 32 k that are symbols.
fn symbols_of(k: u32) -> u32 {
  return present[k] & ~select(0u, 1u << (DELIMITER & 31u), DELIMITER >> 5u == k);
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) thread: u32) {
  let one_length = shape[1] == ~shape[2];
  var before = select(1u, 0u, one_length);
  for (var k = 0u; k < (thread >> 5u); k++) { before += countOneBits(symbols_of(k)); }
  before += countOneBits(symbols_of(thread >> 5u) & ((1u << (thread & 31u)) - 1u));
  packing[CODES + thread] = before;
  if (thread == 255u) {
    let symbols = max(2u, before + (symbols_of(7u) >> 31u));
    let bits = 32u - countLeadingZeros(symbols - 1u);
    packing[SYMBOL_BITS] = bits;
    packing[BASE] = shape[0];
    packing[LENGTH] = select(LENGTHS_DIFFER, shape[1], one_length);
    packing[FIRST_DIGIT_BITS] = select(im.narrow, im.wide, bits <= im.short);
    // The last symbol is zeros if lengths differ. Otherwise all keys contain the end or none does.
    var mask = 0u;
    var value = select(1u, 0u, contains_end(0u, shape[0], 0u));
    if (!one_length) {
      mask = last_symbol_mask(0u);
      value = select(0u, mask, REVERSE);
    }
    packing[END_MASK_WORD] = mask;
    packing[END_VALUE_WORD] = value;
  }
}
