//! needs: record
// Packed keys: as many of a record's next symbols as 64 bits hold, each as its number in the alphabet, from 1 on in byte order, and 0 from
// the record's end on. So packed keys compare as the bytes do, and no two records of which only one has ended there have the same.
// (Deshpande and Narayanan 2013 take 8 bytes; Drozd and Matsuoka 2014 take several symbols of a short alphabet as one digit.)
// A kernel that needs this declares text and starts (record.wgsl) and
//   var<storage, read> symbols: array<u32>;   the number of each of 256 bytes
//   im.symbol_bits, im.key_symbols            bits a symbol, and how many symbols a key has: at most 64 bits in all
// and calls load_symbols before all else.

var<workgroup> symbol_of: array<u32, 256>;

/// Brings the alphabet into workgroup memory; for workgroups of 256 threads, all of which must call it.
fn load_symbols(thread: u32) {
  symbol_of[thread] = symbols[thread];
  workgroupBarrier();
}

/// The packed key of record i from its ordered byte `depth` on, as (high, low); complemented under REVERSE, so that smaller means earlier.
fn packed_key(i: u32, depth: u32) -> vec2u {
  let length = ordered_length(i);
  var key = vec2u();
  var word = 0u;
  for (var s = 0u; s < im.key_symbols; s++) {
    if ((s & 3u) == 0u) { word = ordered_word(i, depth + s); }
    let symbol = select(0u, symbol_of[word >> 24u], depth + s < length);
    word <<= 8u;
    // At most 9 bits, at least 1.
    key = vec2u((key.x << im.symbol_bits) | (key.y >> (32u - im.symbol_bits)), (key.y << im.symbol_bits) | symbol);
  }
  return select(key, ~key, REVERSE);
}
