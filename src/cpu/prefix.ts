/**
 * Stage 2: what of a key decides. Big-endian 8-byte prefixes, common prefixes and the comparison of two windows of text.
 *
 * A window is the part of a record that is being compared, [begin, end) in bytes of the text; a prefix is read at some depth
 * in it and padded with zeros. `a` and `a\0` share a prefix: whoever finds prefixes equal lets the length decide.
 * The text must be readable for 8 bytes past every window's end.
 */

/**
 * Prefixes of the records order[from..to) at `depth` of their windows into hi and lo (the same indices), XORed with `flip`.
 * Returns whether they already are in (not strictly) rising order.
 *
 * The window of record r begins `skip` bytes after starts[r] and is `length` bytes long, or, where `length` is -1, ends one byte
 * (the delimiter) before starts[r + 1].
 */
export function takePrefixes(
  text: DataView, starts: Uint32Array, order: Uint32Array, from: number, to: number,
  skip: number, length: number, depth: number, flip: number, hi: Uint32Array, lo: Uint32Array,
): boolean {
  let rising = true;
  let lastHigh = 0;
  let lastLow = 0;
  const offset = skip + depth;
  for (let i = from; i < to; i++) {
    const r = order[i];
    const at = starts[r] + offset;
    const left = length < 0 ? starts[r + 1] - 1 - at : length - depth;
    let high = text.getUint32(at);
    let low = text.getUint32(at + 4);
    if (left < 8) {
      if (left > 4) low &= -1 << ((8 - left) << 3);
      else {
        low = 0;
        if (left < 4) high = left <= 0 ? 0 : high & (-1 << ((4 - left) << 3));
      }
    }
    high = (high ^ flip) >>> 0;
    low = (low ^ flip) >>> 0;
    if (high < lastHigh || (high === lastHigh && low < lastLow)) rising = false;
    hi[i] = lastHigh = high;
    lo[i] = lastLow = low;
  }
  return rising;
}

/** Bytes that two windows share, at most `most` (no more than either has). */
export function sharedBytes(a: DataView, atA: number, b: DataView, atB: number, most: number): number {
  let i = 0;
  for (; i + 4 <= most; i += 4) {
    const x = a.getUint32(atA + i) ^ b.getUint32(atB + i);
    if (x !== 0) return i + (Math.clz32(x) >>> 3);
  }
  for (; i < most; i++) if (a.getUint8(atA + i) !== b.getUint8(atB + i)) return i;
  return most;
}

/** Bytes that the windows of all the records order[from..to) share from `depth` on. Reads only what is shared. */
export function commonPrefix(
  text: DataView, starts: Uint32Array, order: Uint32Array, from: number, to: number,
  skip: number, length: number, depth: number,
): number {
  const offset = skip + depth;
  const first = order[from];
  const begin = starts[first] + offset;
  let shared = length < 0 ? starts[first + 1] - 1 - begin : length - depth;
  for (let i = from + 1; i < to && shared > 0; i++) {
    const r = order[i];
    const at = starts[r] + offset;
    if (length < 0) shared = Math.min(shared, starts[r + 1] - 1 - at);
    shared = sharedBytes(text, begin, text, at, shared);
  }
  return shared;
}

/** Compares windows [atA, endA) of `a` and [atB, endB) of `b` as memcmp does, then by length. Negative, 0 or positive. */
export function compareWindows(
  a: DataView, atA: number, endA: number, b: DataView, atB: number, endB: number,
): number {
  const most = Math.min(endA - atA, endB - atB);
  const shared = sharedBytes(a, atA, b, atB, most);
  if (shared < most) return a.getUint8(atA + shared) - b.getUint8(atB + shared);
  return (endA - atA) - (endB - atB);
}
