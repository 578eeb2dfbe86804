/**
 * -h: numbers with suffixes as `du -h` prints them, by sign, then suffix, then value as under -n. A suffix directly
 * follows the number. Only its first letter counts (5K, 5KB and 5KiB are equal), and the suffix of a zero does not
 * count. So 1023M sorts before 1G, and 2000K before 1M.
 *
 * The row is a digit for sign and suffix, then the row of the number (numeric.ts).
 */
import { isBlank, isDigit } from './bytes';
import { put } from '../shared/digits';
import { putDecimal } from './numeric';

const MINUS: u8 = 45;
const POINT: u8 = 46;
const ZERO: u8 = 48;

/**
 * The digit of numbers without a suffix, of either sign;
 * numbers with one are below it if negative, above it if positive.
 */
const NO_SUFFIX: u32 = 10;

/** Writes the row of the number at the beginning of [at, end). */
export function putHuman(at: u32, end: u32): void {
  while (at < end && isBlank(load<u8>(at))) at++;
  const rank = suffixRank(at, end);
  put(at < end && load<u8>(at) == MINUS ? NO_SUFFIX - rank : NO_SUFFIX + rank);
  putDecimal(at, end);
}

/** The rank of the suffix after the number at `at`; 0 without a suffix, for zero, or for a non-number. */
function suffixRank(at: u32, end: u32): u32 {
  if (at < end && load<u8>(at) == MINUS) at++;
  let largest = ZERO;
  for (let point = false; at < end; at++) {
    const byte = load<u8>(at);
    if (isDigit(byte)) largest = max(largest, byte);
    else if (byte == POINT && !point) point = true;
    else return largest > ZERO ? rankOf(byte) : 0;
  }
  return 0;
}

/** Powers of a thousand, from the smallest: k or K, M, G, T, P, E, Z, Y, R, Q. */
function rankOf(suffix: u8): u32 {
  switch (suffix) {
    case 107: // k
    case 75: return 1; // K
    case 77: return 2; // M
    case 71: return 3; // G
    case 84: return 4; // T
    case 80: return 5; // P
    case 69: return 6; // E
    case 90: return 7; // Z
    case 89: return 8; // Y
    case 82: return 9; // R
    case 81: return 10; // Q
    default: return 0;
  }
}
