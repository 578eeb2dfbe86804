// Fixed keys of two words. Buffers hold them in the layout of their type; loads encode them so that smaller codes come
// first. The first word of a code is the high one.

// 0: unsigned, 1: signed, 2: floating point (key-one.wgsl), low word first; 3: unsigned, high word first.
override KEY_KIND: u32 = 0u;
override DESCENDING: bool = false;

alias Key = vec2u;
const LAST_KEY = Key(0xffffffffu);  // no key comes after it

fn encode_key(raw: Key) -> Key {
  var key = raw;
  if (KEY_KIND != 3u) { key = key.yx; }
  if (KEY_KIND == 1u) { key.x ^= 0x80000000u; }
  if (KEY_KIND == 2u) { key ^= select(vec2u(0x80000000u, 0u), vec2u(0xffffffffu), (key.x & 0x80000000u) != 0u); }
  return select(key, ~key, DESCENDING);
}

fn decode_key(code: Key) -> Key {
  var key = select(code, ~code, DESCENDING);
  if (KEY_KIND == 1u) { key.x ^= 0x80000000u; }
  if (KEY_KIND == 2u) { key ^= select(vec2u(0xffffffffu), vec2u(0x80000000u, 0u), (key.x & 0x80000000u) != 0u); }
  if (KEY_KIND != 3u) { key = key.yx; }
  return key;
}

/// Whether code a comes before code b.
fn key_before(a: Key, b: Key) -> bool { return a.x < b.x || (a.x == b.x && a.y < b.y); }

fn keys_equal(a: Key, b: Key) -> bool { return all(a == b); }

/// 32 bits of a code from bit `shift`, counted from the lowest bit; zeros beyond the end.
fn key_bits(code: Key, shift: u32) -> u32 {
  // No branch, so that the digits of many keys are extracted in parallel.
  let within = shift & 31u;
  let low = select(code.y, code.x, shift >= 32u);
  let high = select(code.x, 0u, shift >= 32u);
  return (low >> within) | ((high << 1u) << (31u - within));
}

/// 8 bits of a code from bit `shift`, a multiple of 8 below the code's width.
fn key_byte(code: Key, shift: u32) -> u32 { return (select(code.y, code.x, shift >= 32u) >> (shift & 31u)) & 255u; }
