//! needs: shared/launch, ../../tools/bench/kernels/random
// Makes 2^bits keys (bits: 8 to 28) of a distribution of keys.mjs, as test/engines/gpu/distributions.ts defines it.
//   -> keys[WORDS * 2^bits], as their type is in memory. One thread a key, workgroups of 256.
//
// The distribution makes the first word of a code. The words below are random if the distribution spreads keys widely;
// otherwise they are constant, so that equal first words are equal keys. Signed keys are codes less half their range;
// floating-point keys (one or two words) are that number divided by half the range: from -1 to 1, rounded towards 0.

override WORDS: u32;
override HIGH_FIRST: bool;      // the first word of a code is the first in memory, too
override NUMBER: u32;           // 0: unsigned, 1: signed, 2: floating point
override DISTRIBUTION: u32;     // a number in keys.mjs
override NEAR_BITS: u32;        // near-sorted: keys are fewer than 2^NEAR_BITS places from their sorted places

struct Immediates { bits: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> keys: array<u32>;

const LOW = 0x12345678u;

/// The first word of the key at `place` of 2^bits in sorted order, with `random` bits below.
fn in_order(place: u32, bits: u32, random: u32) -> u32 {
  return (place << (32u - bits)) | (random >> bits);
}

/// A word in `part` of 16 equal parts of the range, `random` within it.
fn in_part(part: u32, random: u32) -> u32 {
  return (part << 28u) | (random >> 4u);
}

fn first_word(i: u32) -> u32 {
  let bits = im.bits;
  let n = 1u << bits;
  let random = random_word(i, 1u);
  switch DISTRIBUTION {
    case 1u: { return LOW; }                                                                // zero
    case 2u: { return in_part((i >> (bits - 8u)) & 15u, random); }                          // bucket
    case 3u: { return (random >> 2u) + (random_word(i, 2u) >> 2u) + (random_word(i, 3u) >> 2u) + (random_word(i, 4u) >> 2u); }  // gaussian
    case 4u: {                                                                              // staggered
      let part = i >> (bits - 4u);
      return in_part(select(2u * part - 16u, 2u * part + 1u, part < 8u), random);
    }
    case 5u: { return in_order(i, bits, random); }                                          // sorted
    case 6u: { return in_order(n - 1u - i, bits, random); }                                 // reversed
    case 7u: { return in_part(random >> 28u, LOW); }                                        // sixteen
    case 8u: { return u32(exp2(f32(random >> 8u) * (f32(bits) / 16777216.0))); }            // zipf
    case 9u: { return in_order(min(i, n - 1u - i), bits, random); }                         // organPipe
    case 10u: { return in_order(i + (random >> (32u - NEAR_BITS)), bits + 1u, random_word(i, 2u)); }  // near
    case 11u: { return select(0x80000000u, 0x7fffffffu, random < 0x80000000u); }            // twoValues
    case 12u: { return in_order(i & (n / 2u - 1u), bits - 1u, random); }                    // two runs, each in order
    case 13u: {                                                                             // two runs, the second of n / 128
      let first = n - (n >> 7u);
      return in_order(select(i, i - first, i >= first), select(bits, bits - 7u, i >= first), random);
    }
    case 14u: { return select(in_order(i, bits, random), random_word(i, 2u), i >= n - n / 100u); }  // appended
    default: { return random; }                                                             // uniform
  }
}

/// Whether the words below the first are random.
fn spreads() -> bool {
  return DISTRIBUTION != 1u && DISTRIBUTION != 7u && DISTRIBUTION != 8u && DISTRIBUTION != 11u;
}

/// Bits of the number m / 2^31 (0 <= m <= 2^31), without a sign.
fn f32_bits(m: u32) -> u32 {
  if (m == 0u) { return 0u; }
  let zeros = countLeadingZeros(m);
  return ((127u - zeros) << 23u) + (((m << zeros) & 0x7fffffffu) >> 8u);
}

/// The same of m / 2^63 (high word first), as a number of 64 bits.
fn f64_bits(m: vec2u) -> vec2u {
  if (m.x == 0u && m.y == 0u) { return m; }
  let zeros = select(32u + countLeadingZeros(m.y), countLeadingZeros(m.x), m.x != 0u);
  var high = select(m.y, m.x, zeros < 32u);
  var low = select(0u, m.y, zeros < 32u);
  let shift = zeros & 31u;
  if (shift != 0u) {
    high = (high << shift) | (low >> (32u - shift));
    low <<= shift;
  }
  let fraction = high & 0x7fffffffu;
  return vec2u(((1023u - zeros) << 20u) + (fraction >> 11u), (fraction << 21u) | (low >> 11u));
}

/// The number for a code of two words, the high word first. The low word of a code of one word is 0.
fn number_of(code: vec2u) -> vec2u {
  if (NUMBER == 0u) { return code; }
  let signed = vec2u(code.x ^ 0x80000000u, code.y);
  if (NUMBER == 1u) { return signed; }
  let sign = signed.x & 0x80000000u;
  var m = signed;
  if (sign != 0u) { m = vec2u(~signed.x + u32(signed.y == 0u), 0u - signed.y); }
  let bits = select(vec2u(f32_bits(m.x), 0u), f64_bits(m), WORDS == 2u);
  return vec2u(bits.x | sign, bits.y);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >> im.bits != 0u) { return; }
  var code = vec2u(first_word(i), 0u);
  if (WORDS > 1u) { code.y = select(LOW, random_word(i, 17u), spreads()); }
  code = number_of(code);
  for (var w = 0u; w < WORDS; w++) {
    var word = select(code.y, code.x, w == 0u);
    if (w > 1u) { word = select(LOW, random_word(i, 16u + w), spreads()); }
    keys[i * WORDS + select(WORDS - 1u - w, w, HIGH_FIRST)] = word;
  }
}
