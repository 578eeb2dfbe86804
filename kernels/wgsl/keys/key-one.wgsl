//! needs: keys/codes
// Fixed keys of one word.

alias Key = u32;
const LAST_KEY = Key(0xffffffffu);  // no key comes after it

// Sorts compare codes of keys.
fn encode_key(key: Key) -> Key { return key ^ (number_mask(key) & ~SIGN) ^ high_mask(); }
fn decode_key(code: Key) -> Key {
  let key = code ^ high_mask();
  return key ^ (number_mask(key) & ~SIGN);
}

/// Whether code a comes before code b.
fn key_before(a: Key, b: Key) -> bool { return a < b; }

fn keys_equal(a: Key, b: Key) -> bool { return a == b; }

/// 32 bits of a code from bit `shift`, counted from the lowest bit; zeros beyond the end.
fn key_bits(code: Key, shift: u32) -> u32 { return code >> shift; }

/// 8 bits of a code from bit `shift`, a multiple of 8 below the code's width.
fn key_byte(code: Key, shift: u32) -> u32 { return (code >> shift) & 255u; }
