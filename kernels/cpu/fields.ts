/**
 * Parts of a record by fields, as src/keys/fields.ts finds them: a part has a first place and one behind its last byte.
 */

/** Fields begin where blanks do. */
export const NO_SEPARATOR: u32 = 256;

const TAB: u8 = 9;
const NEWLINE: u8 = 10;
const SPACE: u8 = 32;

function isBlank(at: u32): bool {
  const byte = load<u8>(at);
  return byte == SPACE || byte == TAB || byte == NEWLINE;
}

/** The end of the first `count` fields of [at, end), behind the separator that ends the last of them where `passSeparator`. */
export function skipFields(at: u32, end: u32, count: u32, separator: u32, passSeparator: bool): u32 {
  for (let left = count; left > 0 && at < end; left--) {
    if (separator == NO_SEPARATOR) {
      while (at < end && isBlank(at)) at++;
      while (at < end && !isBlank(at)) at++;
    } else {
      while (at < end && <u32>load<u8>(at) != separator) at++;
      if (at < end && (left > 1 || passSeparator)) at++;
    }
  }
  return at;
}

/** `bytes` bytes behind `at`, or behind the blanks there; not beyond `end`. */
export function skipBytes(at: u32, end: u32, bytes: u32, skipBlanks: bool): u32 {
  while (skipBlanks && at < end && isBlank(at)) at++;
  return at + min(bytes, end - at);
}
