//! needs: keys/codes
// Fixed keys of four words, integers. Buffers hold the low word first; the first word of a code is the highest.

alias Key = vec4u;
const LAST_KEY = Key(0xffffffffu);  // no key comes after it

fn encode_key(key: Key) -> Key { return key.wzyx ^ code_mask(); }
fn decode_key(code: Key) -> Key { return (code ^ code_mask()).wzyx; }
fn code_mask() -> Key { return Key(high_mask(), vec3u(low_mask())); }

/// Whether code a comes before code b.
fn key_before(a: Key, b: Key) -> bool {
  if (a.x != b.x) { return a.x < b.x; }
  if (a.y != b.y) { return a.y < b.y; }
  if (a.z != b.z) { return a.z < b.z; }
  return a.w < b.w;
}

fn keys_equal(a: Key, b: Key) -> bool { return all(a == b); }

/// 32 bits of a code from bit `shift`, counted from the lowest bit; zeros beyond the end.
fn key_bits(code: Key, shift: u32) -> u32 {
  let word = 3u - (shift >> 5u);
  let within = shift & 31u;
  let low = code[word];
  if (within == 0u) { return low; }
  var high = 0u;
  if (word > 0u) { high = code[word - 1u]; }
  return (low >> within) | (high << (32u - within));
}

/// 8 bits of a code from bit `shift`, a multiple of 8 below the code's width.
fn key_byte(code: Key, shift: u32) -> u32 { return (code[3u - (shift >> 5u)] >> (shift & 31u)) & 255u; }
