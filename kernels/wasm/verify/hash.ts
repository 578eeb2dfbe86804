/**
 * The hash of a record, which --verify sums modulo 2^64 over all records. A record is hashed in steps of 16 bytes that
 * may be added in any order, so a GPU can share a long record among its threads
 * (kernels/wgsl/records/hash/record-hash.wgsl is the same function).
 *
 *     step s, the last one padded with zeros:  d = words ^ (SEED ^ mix(s * STRIDE))
 *                                              a += d0 * d2 + d2:d3,  b += d1 * d3 + d0:d1   (64 bits)
 *     record of n bytes:                       x = a + b * LANE + (n + 1) * LENGTH
 *                                              y = (x ^ x >> 29) * LAST,  hash = y ^ y >> 32
 *
 * The products are those of NH (Black et al., UMAC, CRYPTO 1999). The words are also added, as in XXH3, because a
 * factor of zero would hide the other one.
 */

/** Bytes of a step. */
export const STEP: u32 = 16;

const LANE: u64 = 0x9e3779b185ebca87;
const LENGTH: u64 = 0xc2b2ae3d27d4eb4f;
const LAST: u64 = 0x165667919e3779f9;

// @ts-ignore: decorator
@inline
function strides(): v128 { return i32x4(0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f); }

// @ts-ignore: decorator
@inline
export function firstKey(): v128 { return i32x4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344); }

/** The next step's counter: zero for step 0, `strides` more for each further step. */
// @ts-ignore: decorator
@inline
export function nextCounter(counter: v128): v128 { return i32x4.add(counter, strides()); }

/** The value that a step's words are XORed with. */
// @ts-ignore: decorator
@inline
export function stepKey(counter: v128): v128 {
  let mixed = v128.xor(counter, i32x4.shr_u(counter, 15));
  mixed = i32x4.mul(mixed, i32x4.splat(0x2c1b3c6d));
  return v128.xor(firstKey(), v128.xor(mixed, i32x4.shr_u(mixed, 12)));
}

/** Adds a step's words, XORed with the step's key, to the sums a and b. */
// @ts-ignore: decorator
@inline
export function addStep(sums: v128, keyed: v128): v128 {
  const swapped = v128.shuffle<u64>(keyed, keyed, 1, 0);
  return i64x2.add(sums, i64x2.add(i64x2.extmul_low_i32x4_u(keyed, swapped), swapped));
}

/** The first `count` bytes (0 to 16) of a step, then zeros. */
// @ts-ignore: decorator
@inline
export function firstBytes(words: v128, count: u32): v128 {
  const places = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return v128.and(words, i8x16.gt_s(i8x16.splat(<i8>count), places));
}

/** The hash of a record of `bytes` bytes from the sums of all its steps. */
// @ts-ignore: decorator
@inline
export function finish(sums: v128, bytes: u64): u64 {
  let x = <u64>i64x2.extract_lane(sums, 0) + <u64>i64x2.extract_lane(sums, 1) * LANE + (bytes + 1) * LENGTH;
  x = (x ^ (x >> 29)) * LAST;
  return x ^ (x >> 32);
}
