//! needs: strings/next-bytes
// Packed keys: as many of a record's next symbols as fit into 64 bits. A symbol is its rank in the alphabet, from 1 in
// byte order; after the record's end it is 0. So packed keys compare as the bytes do, and a record that has ended never
// has the same key as one that has not. (Deshpande and Narayanan 2013 take 8 bytes; Drozd and Matsuoka 2014 take
// several symbols of a short alphabet as one digit.)
// A kernel that includes this file declares text, starts and vectors (strings/next-bytes.wgsl) and
//   var<storage, read> symbols: array<u32>;   the rank of each of 256 bytes
//   im.symbol_bits, im.key_symbols            bits per symbol, and symbols per key: at most 64 bits in all
// and calls load_symbols first.

var<workgroup> symbol_of: array<u32, 256>;

/// Loads the alphabet into workgroup memory. Needs workgroups of 256 threads, all of which must call it.
fn load_symbols(thread: u32) {
  symbol_of[thread] = symbols[thread];
  workgroupBarrier();
}

/// The packed key of record i from its ordered byte `depth` as (high, low);
/// complemented if REVERSE, so that smaller means earlier.
fn packed_key(i: u32, depth: u32) -> vec2u {
  let length = ordered_length(i);
  var key = vec2u();
  var word = 0u;
  var bytes = NextBytes();
  for (var s = 0u; s < im.key_symbols; s++) {
    let at = depth + s;
    if (s % NEXT_BYTES == 0u && at < length) {
      bytes = next_bytes(i, at, min(NEXT_BYTES, min(im.key_symbols - s, length - at)));
    }
    if ((s & 3u) == 0u) { word = take_word(&bytes); }
    let symbol = select(0u, symbol_of[word >> 24u], at < length);
    word <<= 8u;
    // 1 to 9 bits.
    key = vec2u((key.x << im.symbol_bits) | (key.y >> (32u - im.symbol_bits)), (key.y << im.symbol_bits) | symbol);
  }
  return select(key, ~key, REVERSE);
}
