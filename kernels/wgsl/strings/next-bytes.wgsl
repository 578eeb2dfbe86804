//! needs: shared/record
// The next ordered bytes of a record, up to 32 at once, in eight words with the first byte in the highest place. They
// begin at any byte of the text: two or three aligned loads of 16 bytes are joined there.
// A kernel that includes this file declares text and starts (shared/record.wgsl) and
//   var<storage, read> vectors: array<vec4u>;   the text again, in vectors of 16 bytes; the last one is whole
// Source: Drozd and Matsuoka, MSD Radix String Sort on GPU, section 4 (one load of 32 bytes, not one for each symbol).

const NEXT_BYTES = 32u;

struct NextBytes { first: vec4u, second: vec4u }

/// 16 bytes of two vectors of the text, from byte `skip` (0 to 15) of the first one.
fn joined_vectors(a: vec4u, b: vec4u, skip: u32) -> vec4u {
  // The word and the one after it: first by two words, then by one, then by bytes.
  let far = (skip & 8u) != 0u;
  let near = (skip & 4u) != 0u;
  let words = select(a, vec4u(a.zw, b.xy), far);
  let after = select(b.xy, b.zw, far);
  let low = select(words, vec4u(words.yzw, after.x), near);
  let high = vec4u(low.yzw, select(after.x, after.y, near));
  let bits = vec4u((skip & 3u) * 8u);
  // A shift by 32 bits is undefined, so the higher word is shifted twice.
  let little = (low >> bits) | ((high << (31u - bits)) << vec4u(1u));
  let pairs = ((little & vec4u(0x00ff00ffu)) << vec4u(8u)) | ((little >> vec4u(8u)) & vec4u(0x00ff00ffu));
  return (pairs << vec4u(16u)) | (pairs >> vec4u(16u));
}

/// The next `count` bytes (1 to 32) of record i from its ordered byte `at`. All must exist; what follows is undefined.
fn next_bytes(i: u32, at: u32, count: u32) -> NextBytes {
  // A key and the record after it are not adjacent.
  if (LAST_RESORT && at < KEY_LENGTH && at + count > KEY_LENGTH) {
    return NextBytes(
      vec4u(ordered_word(i, at), ordered_word(i, at + 4u), ordered_word(i, at + 8u), ordered_word(i, at + 12u)),
      vec4u(ordered_word(i, at + 16u), ordered_word(i, at + 20u), ordered_word(i, at + 24u),
        ordered_word(i, at + 28u)));
  }
  let address = ordered_address(i, at);
  let vector = address >> 4u;
  let skip = address & 15u;
  let a = vectors[vector];
  var b = vec4u();
  var c = vec4u();
  if (skip + count > 16u) { b = vectors[vector + 1u]; }
  if (skip + count > 32u) { c = vectors[vector + 2u]; }
  return NextBytes(joined_vectors(a, b, skip), joined_vectors(b, c, skip));
}

/// Takes the first four of the bytes; the others move up.
fn take_word(bytes: ptr<function, NextBytes>) -> u32 {
  let word = (*bytes).first.x;
  (*bytes).first = vec4u((*bytes).first.yzw, (*bytes).second.x);
  (*bytes).second = (*bytes).second.yzww;
  return word;
}

/// How many bytes at the beginning of both are equal.
fn equal_bytes(a: NextBytes, b: NextBytes) -> u32 {
  let first = equal_in_vector(a.first ^ b.first);
  if (first < 16u) { return first; }
  return 16u + equal_in_vector(a.second ^ b.second);
}

/// The zero bytes at the beginning of four words.
fn equal_in_vector(differing: vec4u) -> u32 {
  let zeros = countLeadingZeros(differing) >> vec4u(3u);
  if (differing.x != 0u) { return zeros.x; }
  if (differing.y != 0u) { return 4u + zeros.y; }
  if (differing.z != 0u) { return 8u + zeros.z; }
  return 12u + zeros.w;
}
