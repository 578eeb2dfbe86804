/** Converts hexadecimal text to a long double. */
import { isDigit } from './bytes';
import { exponentAt } from './decimal';
import { setRounded, setZero } from './long-double';

const POINT: u8 = 46;
const LETTER_P: u8 = 112;

/** Returned for a byte that is not a hexadecimal digit. */
const NONE: u32 = 16;
/** Digits that are kept: 128 bits, twice those of a mantissa. */
const KEPT: u32 = 32;

/** Sets the long double nearest to the number whose digits begin at `at`, after 0x; zero if there are no digits. */
export function setHexadecimal(at: u32, end: u32): void {
  let high: u64 = 0;
  let low: u64 = 0;
  let more = false;
  /** The digits from the first nonzero one, and the bits before the point that the number has. */
  let count: u32 = 0;
  let scale: i64 = 0;
  let fraction = false;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (byte == POINT && !fraction) {
      fraction = true;
      continue;
    }
    const digit = digitOf(byte);
    if (digit == NONE) break;
    if (count == 0 && digit == 0) {
      scale -= fraction ? 4 : 0;
      continue;
    }
    scale += fraction ? 0 : 4;
    if (count < KEPT / 2) high |= <u64>digit << (60 - 4 * count);
    else if (count < KEPT) low |= <u64>digit << (124 - 4 * count);
    else more = more || digit != 0;
    count++;
  }
  if (at < end && (load<u8>(at) | 32) == LETTER_P) scale += exponentAt(at + 1, end);
  if (high == 0) {
    setZero();
    return;
  }
  // The leading zero bits of the first digit, at most three.
  const shift = clz(high);
  if (shift > 0) high = high << shift | low >> (64 - shift);
  setRounded(high, low << shift, more, scale - 1 - <i64>shift);
}

/** The value of a hexadecimal digit; NONE for any other byte. */
export function digitOf(byte: u8): u32 {
  if (isDigit(byte)) return byte - 48;
  const letter = (byte | 32) - 97;
  return letter < 6 ? 10 + letter : NONE;
}
