// Fixed keys of two words. They lie in buffers as their type has them and are encoded where they are loaded: of codes the first word
// is the high one, and smaller ones come first.

override KEY_KIND: u32 = 0u;       // 0: unsigned, 1: signed, 2: floating point (see key-1.wgsl), the low word first; 3: unsigned, the high word first
override DESCENDING: bool = false;

alias Key = vec2u;
const LAST_KEY = Key(0xffffffffu);  // after every key, or equal to it

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

/// The 32 bits of a code from bit `shift` on, counted from the lowest of all; zeros beyond its end.
fn key_bits(code: Key, shift: u32) -> u32 {
  // No branch: digits of many keys are found side by side.
  let within = shift & 31u;
  let low = select(code.y, code.x, shift >= 32u);
  let high = select(code.x, 0u, shift >= 32u);
  return (low >> within) | ((high << 1u) << (31u - within));
}

/// The 8 bits of a code from bit `shift` on, a multiple of 8 below its width.
fn key_byte(code: Key, shift: u32) -> u32 { return (select(code.y, code.x, shift >= 32u) >> (shift & 31u)) & 255u; }
