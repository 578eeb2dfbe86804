/** Finds the ends of lines. */

const RETURN: u8 = 13;

/** The address after the next byte `delimiter` from `at`; there must be one. Reads up to 15 bytes past it. */
// @ts-ignore: decorator
@inline
export function lineEnd(at: u32, delimiter: u32): u32 {
  const pattern = i8x16.splat(<i8>delimiter);
  let found = i8x16.bitmask(i8x16.eq(v128.load(at), pattern));
  while (found == 0) found = i8x16.bitmask(i8x16.eq(v128.load(at += 16), pattern));
  return at + ctz(found) + 1;
}

/** Where the text [at, end) ends without its carriage return. */
// @ts-ignore: decorator
@inline
export function withoutReturn(at: u32, end: u32): u32 {
  return end > at && load<u8>(end - 1) == RETURN ? end - 1 : end;
}
