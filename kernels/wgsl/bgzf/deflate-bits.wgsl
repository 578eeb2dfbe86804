// Writes bits, the lowest first, in whole words. Fewer than 32 wait between calls.
// A kernel that includes this file declares
//   fn set_out(i: u32, word: u32)             sets a word of the output

var<private> out_word: u32;  // where the next whole word goes
var<private> waiting: u32;
var<private> waiting_bits: u32;

fn open_bits(word: u32) {
  out_word = word;
  waiting = 0u;
  waiting_bits = 0u;
}

/// Appends 0 to 31 bits; those above are 0.
fn put_bits(bits: u32, count: u32) {
  waiting |= bits << waiting_bits;
  waiting_bits += count;
  if (waiting_bits >= 32u) {
    set_out(out_word, waiting);
    out_word++;
    waiting_bits -= 32u;
    waiting = bits >> (count - waiting_bits);
  }
}

/// Appends 32 bits.
fn put_word(word: u32) {
  set_out(out_word, waiting | (word << waiting_bits));
  out_word++;
  waiting = (word >> 1u) >> (31u - waiting_bits);
}

/// Appends a code, an entry of deflate-codes of up to 15 bits.
fn put_code(code: u32) {
  put_bits(code >> 4u, code & 15u);
}

/// Appends two codes.
fn put_codes(first: u32, second: u32) {
  let count = first & 15u;
  put_bits((first >> 4u) | ((second >> 4u) << count), count + (second & 15u));
}

/// Appends a code and extra bits, at most 31 in all.
fn put_extended(code: u32, extra: u32, extra_count: u32) {
  let count = code & 15u;
  put_bits((code >> 4u) | (extra << count), count + extra_count);
}

/// Fills the last byte with zeros.
fn end_byte() {
  put_bits(0u, (8u - (waiting_bits & 7u)) & 7u);
}

/// Writes what waits, with zeros up to a whole word.
fn close_bits() {
  if (waiting_bits > 0u) { set_out(out_word, waiting); }
}
