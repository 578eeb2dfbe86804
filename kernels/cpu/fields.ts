/**
 * Parts of a record by fields, as src/keys/fields.ts finds them: a part has a first place and one behind its last byte.
 */

const TAB: u8 = 9;
const NEWLINE: u8 = 10;
const SPACE: u8 = 32;

function isBlank(at: u32): bool {
  const byte = load<u8>(at);
  return byte == SPACE || byte == TAB || byte == NEWLINE;
}

/**
 * The end of the first `count` fields of [at, end), behind the separator that ends the last of them where `passSeparator`. The separator is 1 to 4 bytes, the
 * first in the lowest place; of none, fields begin where blanks do. Reads up to 3 bytes behind `end`.
 */
export function skipFields(at: u32, end: u32, count: u32, separator: u32, separatorBytes: u32, passSeparator: bool): u32 {
  const mask = u32.MAX_VALUE >> (32 - 8 * separatorBytes);
  for (let left = count; left > 0 && at < end; left--) {
    if (separatorBytes == 0) {
      while (at < end && isBlank(at)) at++;
      while (at < end && !isBlank(at)) at++;
    } else {
      while (at < end && (at + separatorBytes > end || (load<u32>(at) & mask) != separator)) at++;
      if (at < end && (left > 1 || passSeparator)) at += separatorBytes;
    }
  }
  return at;
}

/** `bytes` bytes behind `at`, or behind the blanks there; not beyond `end`. */
export function skipBytes(at: u32, end: u32, bytes: u32, skipBlanks: bool): u32 {
  while (skipBlanks && at < end && isBlank(at)) at++;
  return at + min(bytes, end - at);
}
