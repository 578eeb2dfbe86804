// Fixed keys of one word. They lie in buffers as their type has them and are encoded where they are loaded: smaller codes come first.

override KEY_KIND: u32 = 0u;       // 0: unsigned, 1: signed, 2: floating point in IEEE 754's total order (-NaN, -inf ... -0, +0 ... inf, NaN)
override DESCENDING: bool = false;

alias Key = u32;
const LAST_KEY = Key(0xffffffffu);  // after every key, or equal to it

fn encode_key(raw: Key) -> Key {
  var key = raw;
  if (KEY_KIND == 1u) { key ^= 0x80000000u; }
  if (KEY_KIND == 2u) { key ^= select(0x80000000u, 0xffffffffu, (key & 0x80000000u) != 0u); }
  return select(key, ~key, DESCENDING);
}

fn decode_key(code: Key) -> Key {
  var key = select(code, ~code, DESCENDING);
  if (KEY_KIND == 1u) { key ^= 0x80000000u; }
  if (KEY_KIND == 2u) { key ^= select(0xffffffffu, 0x80000000u, (key & 0x80000000u) != 0u); }
  return key;
}

/// Whether code a comes before code b.
fn key_before(a: Key, b: Key) -> bool { return a < b; }

fn keys_equal(a: Key, b: Key) -> bool { return a == b; }

/// The 32 bits of a code from bit `shift` on, counted from the lowest of all; zeros beyond its end.
fn key_bits(code: Key, shift: u32) -> u32 { return code >> shift; }

/// The 8 bits of a code from bit `shift` on, a multiple of 8 below its width.
fn key_byte(code: Key, shift: u32) -> u32 { return (code >> shift) & 255u; }
