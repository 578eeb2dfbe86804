//! needs: shared/launch, shared/bytes
// The CRC-32 of blocks of at most 64 KiB.
//   text, starts[blocks + 1] (the first byte of each block) -> crcs[blocks]; one workgroup of 64 threads per block.
//   1. The block is cut into parts of 1 KiB, counted from its end, so the first one may be shorter. A thread takes one.
//   2. Two neighbors become one until one is left: the earlier one times x^(8 * bytes of the later one), modulo the
//      polynomial, plus the later one. All later ones of a step have the same number of bytes.
// Bytes moved: 1 read per byte.
// Source: zlib's crc32_combine, and slicing by four, Kounavis and Berry, 2008.

struct Immediates { first: u32, blocks: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> crcs: array<u32>;

const POLYNOMIAL = 0xedb88320u;
const PART = 1024u;
/// x^(8 * 1,024 * 2^step) modulo the polynomial.
const SHIFTS = array(0x6427800eu, 0x4d47bae0u, 0x09fe548fu, 0x83852d0fu, 0x30362f1au, 0x7b5a9cc3u);

/// What a byte changes if 0, 1, 2 or 3 bytes follow it.
var<workgroup> changes: array<u32, 1024>;
var<workgroup> parts: array<u32, 64>;

/// The product of two polynomials.
fn product(a: u32, b: u32) -> u32 {
  var sum = 0u;
  var factor = b;
  for (var bit = 0x80000000u; bit != 0u; bit >>= 1u) {
    if ((a & bit) != 0u) { sum ^= factor; }
    factor = (factor >> 1u) ^ select(0u, POLYNOMIAL, (factor & 1u) != 0u);
  }
  return sum;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  for (var i = thread; i < 256u; i += 64u) {
    var change = i;
    for (var bit = 0u; bit < 8u; bit++) { change = (change >> 1u) ^ select(0u, POLYNOMIAL, (change & 1u) != 0u); }
    changes[i] = change;
  }
  workgroupBarrier();
  for (var i = thread; i < 256u; i += 64u) {
    var change = changes[i];
    for (var more = 256u; more < 1024u; more += 256u) {
      change = (change >> 8u) ^ changes[change & 255u];
      changes[more + i] = change;
    }
  }
  workgroupBarrier();

  let block = im.first + workgroup_number(id, grid);
  var crc = 0u;
  if (block < im.first + im.blocks) {
    let begin = starts[block];
    let end = starts[block + 1u];
    let after = (63u - thread) * PART;
    if (end - begin > after) {
      let to = end - after;
      var at = begin;
      if (to - begin > PART) { at = to - PART; } else { crc = 0xffffffffu; }
      for (; at + 4u <= to; at += 4u) {
        let four = crc ^ text_little(at);
        crc = changes[768u + (four & 255u)] ^ changes[512u + ((four >> 8u) & 255u)] ^
              changes[256u + ((four >> 16u) & 255u)] ^ changes[four >> 24u];
      }
      if (at < to) {
        let rest = text_little(at);
        for (var i = 0u; at + i < to; i++) { crc = (crc >> 8u) ^ changes[(crc ^ (rest >> (8u * i))) & 255u]; }
      }
    }
  }
  parts[thread] = crc;
  workgroupBarrier();
  for (var step = 0u; step < 6u; step++) {
    let apart = 1u << step;
    if (thread % (2u * apart) == 0u) {
      parts[thread] = product(SHIFTS[step], parts[thread]) ^ parts[thread + apart];
    }
    workgroupBarrier();
  }
  if (thread == 0u && block < im.first + im.blocks) {
    crcs[block] = select(~parts[0], 0u, starts[block] == starts[block + 1u]);
  }
}
