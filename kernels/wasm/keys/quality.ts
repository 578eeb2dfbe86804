/**
 * `quality`: the mean of the bytes of a part, exactly; parts without bytes sort first. A constant subtracted from each
 * byte, as in the encodings of qualities, does not change the order.
 *
 * The row is EMPTY, or the whole part of the mean as the rank of a byte and FRACTION digits of its fraction. Means of m
 * and n bytes differ by 1 / mn or more, and 255^8 is more than mn for the longest lines.
 */
import { BASE, put, putByte } from '../shared/digits';

const EMPTY: u32 = 0;
const FRACTION: u32 = 8;
/** 255 times a number below this fits into 32 bits. */
const SMALL: u32 = 1 << 24;

/** Writes the row of [at, end). */
export function putQuality(at: u32, end: u32): void {
  const count = end - at;
  if (count == 0) {
    put(EMPTY);
    return;
  }
  const sum = sumOf(at, at + count);
  putByte(<u32>(sum / count));
  if (count < SMALL) {
    let rest = <u32>(sum % count);
    for (let left = FRACTION; left > 0; left--) {
      rest *= BASE;
      put(rest / count);
      rest %= count;
    }
    return;
  }
  let rest = sum % count;
  for (let left = FRACTION; left > 0; left--) {
    rest *= BASE;
    put(<u32>(rest / count));
    rest %= count;
  }
}

/** The sum of the bytes of [at, end). */
function sumOf(at: u32, end: u32): u64 {
  let sum: u64 = 0;
  for (; end - at >= 16; at += 16) {
    const pairs = i16x8.extadd_pairwise_i8x16_u(v128.load(at));
    const fours = i32x4.extadd_pairwise_i16x8_u(pairs);
    const eights = i64x2.add(i64x2.extend_low_i32x4_u(fours), i64x2.extend_high_i32x4_u(fours));
    sum += i64x2.extract_lane(eights, 0) + i64x2.extract_lane(eights, 1);
  }
  for (; at < end; at++) sum += <u64>load<u8>(at);
  return sum;
}
