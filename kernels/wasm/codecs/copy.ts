/** Copies a match, whose source may overlap its target. Bytes are copied 16 at a time, up to 31 past the end. */

/** For each distance below 16, the places that repeat a pattern of that many bytes, and the whole repeats in 16. */
const PATTERNS: usize = memory.data(16 * 16, 16);
const STRIDES: usize = memory.data(16, 16);

/** Fills the tables of patterns. */
export function preparePatterns(): void {
  for (let distance: u32 = 1; distance < 16; distance++) {
    for (let i: u32 = 0; i < 16; i++) store<u8>(PATTERNS + (distance << 4) + i, <u8>(i % distance));
    store<u8>(STRIDES + distance, <u8>(16 - (16 % distance)));
  }
}

/** Copies `bytes` bytes from `distance` bytes before `to`. */
// @ts-ignore: decorator
@inline
export function copyMatch(to: usize, distance: u32, bytes: u32): void {
  const end = to + bytes;
  let from = to - distance;
  if (distance >= 16) {
    v128.store(to, v128.load(from));
    while ((to += 16) < end) v128.store(to, v128.load((from += 16)));
    return;
  }
  const pattern = i8x16.swizzle(v128.load(from), v128.load(PATTERNS + (distance << 4)));
  const stride = <usize>load<u8>(STRIDES + distance);
  v128.store(to, pattern);
  while ((to += stride) < end) v128.store(to, pattern);
}
