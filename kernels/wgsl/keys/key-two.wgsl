//! needs: keys/codes
// Fixed keys of two words. The first word of a code is the high one.

override HIGH_FIRST: bool = false;  // in buffers, too; otherwise these have the low word first

alias Key = vec2u;
const LAST_KEY = Key(0xffffffffu);  // no key comes after it

fn encode_key(key: Key) -> Key {
  let words = select(key.yx, key, HIGH_FIRST);
  return words ^ (Key(number_mask(words.x)) & Key(~SIGN, 0xffffffffu)) ^ Key(high_mask(), low_mask());
}

fn decode_key(code: Key) -> Key {
  let number = code ^ Key(high_mask(), low_mask());
  let words = number ^ (Key(number_mask(number.x)) & Key(~SIGN, 0xffffffffu));
  return select(words.yx, words, HIGH_FIRST);
}

/// Whether code a comes before code b.
fn key_before(a: Key, b: Key) -> bool { return (a.x < b.x) | ((a.x == b.x) & (a.y < b.y)); }

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
