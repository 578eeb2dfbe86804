/** Parts of a record by fields, as in src/keys/fields.ts. A part is a half-open range: first byte, end. */

const TAB: u8 = 9;
const NEWLINE: u8 = 10;
const SPACE: u8 = 32;

function isBlank(at: u32): bool {
  const byte = load<u8>(at);
  return byte == SPACE || byte == TAB || byte == NEWLINE;
}

/** A mask of the lanes that hold blanks. */
// @ts-ignore: decorator
@inline
function blankLanes(bytes: v128): v128 {
  return v128.or(i8x16.eq(bytes, i8x16.splat(SPACE)),
    v128.or(i8x16.eq(bytes, i8x16.splat(TAB)), i8x16.eq(bytes, i8x16.splat(NEWLINE))));
}

/**
 * The end of the first `count` fields of [at, end); after the last field's separator if `passSeparator`. The separator
 * has 1 to 4 bytes, the first in the lowest byte. With 0 bytes, each run of blanks begins a field. Reads up to
 * 15 bytes past `end`.
 */
export function skipFields(
  at: u32, end: u32, count: u32, separator: u32, separatorBytes: u32, passSeparator: bool,
): u32 {
  if (count == 0) return at;
  if (separatorBytes > 1) return skipLongSeparators(at, end, count, separator, separatorBytes, passSeparator);
  const pattern = i8x16.splat(<i8>separator);
  // If blanks separate fields: whether the byte before belongs to a field.
  let inside: i32 = 0;
  for (; at < end; at += 16) {
    const bytes = v128.load(at);
    // A bit for each byte that ends a field: the separator, or the first blank after the field.
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

/**
 * Field number `field` of [at, end), without its separators of one byte: its beginning in the lower half, its end in
 * the upper half. Reads up to 15 bytes past `end`.
 */
// @ts-ignore: decorator
@inline
export function oneField(at: u32, end: u32, field: u32, separator: u32): u64 {
  const pattern = i8x16.splat(<i8>separator);
  let begin = field == 0 ? at : end;
  for (; at < end; at += 16) {
    let ends = i8x16.bitmask(i8x16.eq(v128.load(at), pattern));
    if (begin == end) {
      const found = <u32>popcnt(ends);
      if (found < field) {
        field -= found;
        continue;
      }
      for (; field > 1; field--) ends &= ends - 1;
      begin = min(at + ctz(ends) + 1, end);
      ends &= ends - 1;
    }
    if (ends != 0) return begin | <u64>min(at + ctz(ends), end) << 32;
  }
  return begin | <u64>end << 32;
}

/** skipFields for separators of several bytes. */
function skipLongSeparators(
  at: u32, end: u32, count: u32, separator: u32, separatorBytes: u32, passSeparator: bool,
): u32 {
  const mask = u32.MAX_VALUE >> (32 - 8 * separatorBytes);
  for (; count > 0 && at < end; count--) {
    while (at < end && (at + separatorBytes > end || (load<u32>(at) & mask) != separator)) at++;
    if (at < end && (count > 1 || passSeparator)) at += separatorBytes;
  }
  return at;
}

/** No end place: the part extends to the end of the record. */
export const TO_END: u32 = u32.MAX_VALUE;

/**
 * The end of a part of the record [begin, end). `first` is the place where field number `beginField` begins. The end is
 * `endByte` bytes after the beginning of field `endField`, or after its blanks; if `endByte` is 0, the end of the first
 * `endField` fields. It may lie before the beginning of the part.
 */
export function partEnd(
  begin: u32, end: u32, beginField: u32, first: u32, endField: u32, endByte: u32, endBlanks: bool,
  separator: u32, separatorBytes: u32,
): u32 {
  if (endField == TO_END) return end;
  // Do not count the fields before `first` again.
  const from = endField >= beginField ? first : begin;
  const count = endField >= beginField ? endField - beginField : endField;
  if (endByte == 0) return skipFields(from, end, count, separator, separatorBytes, false);
  return skipBytes(skipFields(from, end, count, separator, separatorBytes, true), end, endByte, endBlanks);
}

/** `bytes` bytes after `at`, or after the blanks at `at` if `skipBlanks`; at most `end`. */
export function skipBytes(at: u32, end: u32, bytes: u32, skipBlanks: bool): u32 {
  while (skipBlanks && at < end && isBlank(at)) at++;
  return at + min(bytes, end - at);
}
