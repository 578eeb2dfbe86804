//! needs: shared/bytes, records/hash/hash-sums
// The hash of a record; --verify sums it modulo 2^64 over all records. The same function as
// kernels/wasm/verify/hash.ts, which describes it. A record of n bytes has n / 16 + 1 steps of 16 bytes, which may be
// summed in any order and in parts.

const HASH_STEP = 16u;
const HASH_SEED = vec4u(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u);
const HASH_STRIDE = vec4u(0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu);

/// The contribution of step `step` to the sums of the record at byte `begin`; `bytes` is its length without the
/// delimiter.
fn hash_step(begin: u32, bytes: u32, step: u32) -> vec4u {
  let at = step * HASH_STEP;
  let left = min(bytes - at, HASH_STEP);
  var words = vec4u();
  for (var i = 0u; i < 4u && i * 4u < left; i++) {
    words[i] = low_bytes(text_little(begin + at + i * 4u), min(left - i * 4u, 4u));
  }
  var mixed = HASH_STRIDE * step;
  mixed = (mixed ^ (mixed >> vec4u(15u))) * 0x2c1b3c6du;
  let keyed = words ^ HASH_SEED ^ mixed ^ (mixed >> vec4u(12u));
  return add_hash_sums(vec4u(multiply_words(keyed.x, keyed.z), multiply_words(keyed.y, keyed.w)), keyed.zwxy);
}
