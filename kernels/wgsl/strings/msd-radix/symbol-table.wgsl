// Alphabet, step 3 of 3: codes of symbols, in byte order.
//   found[256] (symbols.wgsl), shape[3] (lengths.wgsl) -> packing[0] bits per symbol, [1] symbols
//   in 64 bits, [2] the ordered byte at which they begin, [3] the bits of the first digit: im.wide if symbols take at
//   most im.short bits, else im.narrow; packing[4 + byte] the byte's code. One workgroup of 256 threads.
//   A record's end comes before every byte, so it is symbol 0 if records differ in length. If all have one length, no
//   such symbol is needed: four letters take 2 bits.

struct Immediates { narrow: u32, wide: u32, short: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read> shape: array<u32>;
@group(0) @binding(2) var<storage, read_write> packing: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) thread: u32) {
  let marks = select(1u, 0u, shape[0] == shape[1]);
  var before = marks;
  for (var b = 0u; b < thread; b++) { before += found[b]; }
  packing[4u + thread] = before;
  if (thread == 255u) {
    let symbols = max(2u, before + found[255]);
    let bits = 32u - countLeadingZeros(symbols - 1u);
    packing[0] = bits;
    packing[1] = 64u / bits;
    packing[2] = shape[2];
    packing[3] = select(im.narrow, im.wide, bits <= im.short);
  }
}
