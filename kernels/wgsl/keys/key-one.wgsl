// Fixed keys of one word. Buffers hold them in the layout of their type;
// loads encode them so that smaller codes come first.

// 0: unsigned, 1: signed, 2: IEEE 754 total order (-NaN, -inf ... -0, +0 ... inf, NaN).
override KEY_KIND: u32 = 0u;
override DESCENDING: bool = false;

alias Key = u32;
const LAST_KEY = Key(0xffffffffu);  // no key comes after it

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

/// 32 bits of a code from bit `shift`, counted from the lowest bit; zeros beyond the end.
fn key_bits(code: Key, shift: u32) -> u32 { return code >> shift; }

/// 8 bits of a code from bit `shift`, a multiple of 8 below the code's width.
fn key_byte(code: Key, shift: u32) -> u32 { return (code >> shift) & 255u; }
