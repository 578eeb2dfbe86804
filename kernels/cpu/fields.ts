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

/** Ones in the lanes of blanks. */
// @ts-ignore: decorator
@inline
function blankLanes(bytes: v128): v128 {
  return v128.or(i8x16.eq(bytes, i8x16.splat(SPACE)), v128.or(i8x16.eq(bytes, i8x16.splat(TAB)), i8x16.eq(bytes, i8x16.splat(NEWLINE))));
}

/**
 * The end of the first `count` fields of [at, end), behind the separator that ends the last of them where `passSeparator`. The separator is 1 to 4 bytes, the
 * first in the lowest place; of none, fields begin where blanks do. Reads up to 15 bytes behind `end`.
 */
export function skipFields(at: u32, end: u32, count: u32, separator: u32, separatorBytes: u32, passSeparator: bool): u32 {
  if (count == 0) return at;
  if (separatorBytes > 1) return skipLongSeparators(at, end, count, separator, separatorBytes, passSeparator);
  const pattern = i8x16.splat(<i8>separator);
  // Whether the byte before is one of a field, where blanks part fields.
  let inside: i32 = 0;
  for (; at < end; at += 16) {
    const bytes = v128.load(at);
    // A bit for each byte that ends a field: the separator, or the first blank behind it.
    let ends = i8x16.bitmask(i8x16.eq(bytes, pattern));
    if (separatorBytes == 0) {
      const others = ~i8x16.bitmask(blankLanes(bytes));
      ends = ~others & (others << 1 | inside);
      inside = others >> 15 & 1;
    }
    ends &= end - at < 16 ? (1 << (end - at)) - 1 : 0xffff;
    const found = <u32>popcnt(ends);
    if (found >= count) {
      for (; count > 1; count--) ends &= ends - 1;
      return at + ctz(ends) + u32(passSeparator && separatorBytes == 1);
    }
    count -= found;
  }
  return end;
}

/** The same for separators of several bytes. */
function skipLongSeparators(at: u32, end: u32, count: u32, separator: u32, separatorBytes: u32, passSeparator: bool): u32 {
  const mask = u32.MAX_VALUE >> (32 - 8 * separatorBytes);
  for (; count > 0 && at < end; count--) {
    while (at < end && (at + separatorBytes > end || (load<u32>(at) & mask) != separator)) at++;
    if (at < end && (count > 1 || passSeparator)) at += separatorBytes;
  }
  return at;
}

/** There is no second place: the record's end is. */
export const TO_END: u32 = u32.MAX_VALUE;

/**
 * The second place of a part of [begin, end) whose first is so many bytes behind `first`, where field number `beginField` begins: `endByte` bytes behind the beginning of field
 * `endField`, or its blanks; 0: the end of the `endField` first fields. It may be before the first place.
 */
export function partEnd(begin: u32, end: u32, beginField: u32, first: u32, endField: u32, endByte: u32, endBlanks: bool, separator: u32, separatorBytes: u32): u32 {
  if (endField == TO_END) return end;
  // Fields before `first` are not counted again.
  const from = endField >= beginField ? first : begin;
  const count = endField >= beginField ? endField - beginField : endField;
  if (endByte == 0) return skipFields(from, end, count, separator, separatorBytes, false);
  return skipBytes(skipFields(from, end, count, separator, separatorBytes, true), end, endByte, endBlanks);
}

/** `bytes` bytes behind `at`, or behind the blanks there; not beyond `end`. */
export function skipBytes(at: u32, end: u32, bytes: u32, skipBlanks: bool): u32 {
  while (skipBlanks && at < end && isBlank(at)) at++;
  return at + min(bytes, end - at);
}
