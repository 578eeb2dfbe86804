/** Where lines end. */

/** The place behind the next byte `delimiter` from `at` on; there is one. Reads up to 15 bytes behind it. */
// @ts-ignore: decorator
@inline
export function lineEnd(at: u32, delimiter: u32): u32 {
  const pattern = i8x16.splat(<i8>delimiter);
  let found = i8x16.bitmask(i8x16.eq(v128.load(at), pattern));
  while (found == 0) found = i8x16.bitmask(i8x16.eq(v128.load(at += 16), pattern));
  return at + ctz(found) + 1;
}
