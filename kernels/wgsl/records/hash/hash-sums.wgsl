//! needs: records/hash/wide
// The sums of a record's hash (record-hash.wgsl), and the final mix that makes the hash from them.

const HASH_LANE = vec2u(0x85ebca87u, 0x9e3779b1u);
const HASH_LENGTH = vec2u(0x27d4eb4fu, 0xc2b2ae3du);
const HASH_LAST = vec2u(0x9e3779f9u, 0x16566791u);

/// Adds the sums a (xy) and b (zw) of two parts of a record.
fn add_hash_sums(x: vec4u, y: vec4u) -> vec4u {
  return vec4u(add_wide(x.xy, y.xy), add_wide(x.zw, y.zw));
}

/// The hash of a record of `bytes` bytes from the sums of all its steps.
fn finish_hash(sums: vec4u, bytes: u32) -> vec2u {
  let length = multiply_wide(vec2u(bytes + 1u, 0u), HASH_LENGTH);
  var x = add_wide(sums.xy, add_wide(multiply_wide(sums.zw, HASH_LANE), length));
  x = multiply_wide(vec2u(x.x ^ ((x.x >> 29u) | (x.y << 3u)), x.y ^ (x.y >> 29u)), HASH_LAST);
  return vec2u(x.x ^ x.y, x.y);
}
