/** Compares records by their keys: the first 8 bytes as a number, then all bytes. */
import { sharedBytes } from '../shared/text';
import { comparedBegin, comparedEnd, flip, KEY, lastResort, WHOLE } from './shape';

/** 8 bytes from `at` as a big-endian number: these compare as the bytes do. */
// @ts-ignore: decorator
@inline
function loadBigEndian(at: usize): u64 {
  const bytes = v128.load64_zero(at);
  const reversed = v128.shuffle<u8>(bytes, bytes, 7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15);
  return v128.extract_lane<u64>(reversed, 0);
}

/**
 * The key of [at, end): its first 8 bytes, padded with zeros, which gives `a` and `a\0` the same key; complemented if
 * larger keys come first. `at` may lie after `end`.
 */
// @ts-ignore: decorator
@inline
export function keyAt(at: u32, end: u32): u64 {
  const left = <i32>(end - at);
  const bytes = loadBigEndian(at);
  return (left >= 8 ? bytes : left <= 0 ? 0 : bytes & (u64.MAX_VALUE << <u64>(64 - 8 * left))) ^ flip;
}

/** Compares [a, endA) and [b, endB) as memcmp does, then by length: negative, 0 or positive. */
function compareBytes(a: u32, endA: u32, b: u32, endB: u32): i32 {
  const most = min(endA - a, endB - b);
  const shared = sharedBytes(a, b, most);
  if (shared < most) return <i32>load<u8>(a + shared) - <i32>load<u8>(b + shared);
  return <i32>((endA - a) - (endB - b));
}

/**
 * Compares the records [beginA, endA) and [beginB, endB) to the end, last resort included. The first `depth` of their
 * compared bytes (`by`: KEY or WHOLE) are equal.
 */
export function compareRecords(beginA: u32, endA: u32, beginB: u32, endB: u32, depth: u32, by: u32): i32 {
  let sign = compareBytes(comparedBegin(beginA, by) + depth, comparedEnd(beginA, endA, by),
    comparedBegin(beginB, by) + depth, comparedEnd(beginB, endB, by));
  if (sign == 0 && lastResort && by == KEY) {
    sign = compareBytes(beginA, comparedEnd(beginA, endA, WHOLE), beginB, comparedEnd(beginB, endB, WHOLE));
  }
  return flip == 0 ? sign : -sign;
}
