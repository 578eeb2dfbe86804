/** Bytes of text: find where two texts differ, and copy them. */

/** Records of up to this many bytes are copied in steps of 16; longer ones by memory.copy. */
const STEP_COPY_MOST: usize = 512;

/** How many bytes the texts at `a` and `b` share, at most `most`. Reads up to 15 bytes past those. */
export function sharedBytes(a: usize, b: usize, most: u32): u32 {
  for (let i: u32 = 0; i < most; i += 16) {
    const same = <u32>i8x16.bitmask(i8x16.eq(v128.load(a + i), v128.load(b + i)));
    if (same != 0xffff) return min(most, i + ctz(~same));
  }
  return most;
}

/** Copies [from, end) to `to`. Writes up to 15 arbitrary bytes past the copy. */
// @ts-ignore: decorator
@inline
export function copyRecord(from: usize, end: usize, to: usize): void {
  const bytes = end - from;
  if (bytes > STEP_COPY_MOST) memory.copy(to, from, bytes);
  else for (let i: usize = 0; i < bytes; i += 16) v128.store(to + i, v128.load(from + i));
}
