//! needs: bam/record, shared/natural, shared/flags
// The key of a record of BAM by name, digit by digit: the name in natural order or by its bytes, then what orders the
// records of a template (src/keys/orders.ts). Keys are prefix-free. They are lines that end in NUL, so the byte of a
// digit is greater by 1. Each has a multiple of 4 bytes, so that no two threads write the same word.
// A kernel that includes this file declares text (shared/bytes.wgsl) and fn put_byte(byte: u32), which takes the key's
// bytes one by one.

override NATURAL: bool = true;  // else by bytes

const PADDING = 1u;             // the byte of the digit 0

/// Puts a digit, 0 to 254.
fn put(digit: u32) { put_byte(digit + 1u); }

/// Puts one or two digits for each byte, then 0.
fn put_bytes(begin: u32, end: u32) {
  for (var at = begin; at < end; at++) {
    let byte = byte_at(at);
    if (byte < BASE - 2u) {
      put(byte + 1u);
    } else {
      put(BASE - 1u);
      put(byte - (BASE - 2u));
    }
  }
  put(0u);
}

/// Puts the key of the record at `at`, without the bytes that fill its last word.
fn put_key(at: u32) {
  let name = at + FIXED_BYTES;
  // Its NUL does not count.
  let end = name + (text_little(at + 12u) & 255u) - 1u;
  if (NATURAL) { put_natural(name, end); } else { put_bytes(name, end); }
  put(template_marks(record_flag(at)));
}
