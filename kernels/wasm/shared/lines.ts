/** Finds the ends of lines. */

/** The address after the next byte `delimiter` from `at`; there must be one. Reads up to 15 bytes past it. */
// @ts-ignore: decorator
@inline
export function lineEnd(at: u32, delimiter: u32): u32 {
  const pattern = i8x16.splat(<i8>delimiter);
  let found = i8x16.bitmask(i8x16.eq(v128.load(at), pattern));
  while (found == 0) found = i8x16.bitmask(i8x16.eq(v128.load(at += 16), pattern));
  return at + ctz(found) + 1;
}
