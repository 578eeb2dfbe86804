/**
 * The orders of a SAM FLAG; the row is one digit.
 *
 * - `strand`: forward before reverse.
 * - `template`: ../shared/template.ts.
 * - `picard-template`, as Picard does: first, paired without or with both marks, second, unpaired; then forward before
 *   reverse, primary before secondary, others before supplementary.
 */
import { put } from '../shared/digits';
import { report, TOO_LARGE } from './problem';

const MOST: u32 = 0xffff;
const PAIRED: u32 = 0x1;
const UNPAIRED_RANK: u32 = 3;

/** Reports a FLAG of more than 16 bits, [at, end) in the text. */
export function checkFlag(flag: i64, at: u32, end: u32): u32 {
  if (<u64>flag > <u64>MOST) report(TOO_LARGE, at, end);
  return <u32>flag & MOST;
}

// @ts-ignore: decorator
@inline
export function putStrand(flag: u32): void { put(flag >> 4 & 1); }

export function putPicardTemplate(flag: u32): void {
  // The marks of first and second: 0 none, 1 first, 2 second, 3 both.
  const marks = flag >> 6 & 3;
  const rank = (flag & PAIRED) == 0 ? UNPAIRED_RANK : marks == 1 ? 0 : marks == 2 ? 2 : 1;
  put(rank << 3 | (flag >> 4 & 1) << 2 | (flag >> 8 & 1) << 1 | flag >> 11 & 1);
}
