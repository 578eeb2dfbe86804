/**
 * NaNs under -g, by the bytes of the long double in memory, as GNU sort up to 9.1 compares them on x86 (9.2 and later
 * compare the sign only). The lowest byte of the mantissa comes first, the sign last. nan(N), N an integer in C
 * notation, is a NaN with the lowest 62 bits of N in its mantissa.
 */
import { put } from '../shared/digits';
import { digitOf } from './hexadecimal';

const BEGIN: u8 = 40;
const END: u8 = 41;
const ZERO: u8 = 48;
const LETTER_X: u8 = 120;

/** First digits, in the order of NaNs: those with an empty mantissa come first. */
const PLAIN: u32 = 1;
const PLAIN_NEGATIVE: u32 = 2;
const WITH_PAYLOAD: u32 = 3;

const PAYLOAD: u64 = (1 << 62) - 1;
const DIGIT_BITS: u64 = 7;

/** Writes the row of a NaN whose letters end at `at`. */
export function putNan(at: u32, end: u32, negative: bool): void {
  const payload = payloadAt(at, end) & PAYLOAD;
  if (payload == 0) {
    put(negative ? PLAIN_NEGATIVE : PLAIN);
    return;
  }
  put(WITH_PAYLOAD);
  let rest = bswap(payload);
  for (let left = 64; left > 0; left -= <i32>DIGIT_BITS) {
    put(<u32>(rest >> (64 - DIGIT_BITS)));
    rest <<= DIGIT_BITS;
  }
  put(u32(negative));
}

/** The number in parentheses at `at`, at most 2^64 - 1; 0 if there is none. */
function payloadAt(at: u32, end: u32): u64 {
  if (at == end || load<u8>(at) != BEGIN) return 0;
  at++;
  let radix: u32 = 10;
  if (at < end && load<u8>(at) == ZERO) {
    radix = 8;
    if (end - at > 2 && (load<u8>(at + 1) | 32) == LETTER_X && digitOf(load<u8>(at + 2)) < 16) {
      radix = 16;
      at += 2;
    }
  }
  let value: u64 = 0;
  for (; at < end; at++) {
    const digit = digitOf(load<u8>(at));
    if (digit >= radix) break;
    value = value > (u64.MAX_VALUE - digit) / radix ? u64.MAX_VALUE : value * radix + digit;
  }
  return at < end && load<u8>(at) == END ? value : 0;
}
