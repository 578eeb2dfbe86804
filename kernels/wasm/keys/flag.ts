/**
 * The orders of a SAM FLAG; the row is one digit.
 *
 * - `strand`: forward before reverse.
 * - `template`, as samtools 1.20 and later orders records of one name: unpaired, first, second; then primary before
 *   supplementary before secondary.
 * - `picard-template`, as Picard does: first, paired without or with both marks, second, unpaired; then forward before
 *   reverse, primary before secondary, others before supplementary.
 */
import { put } from '../shared/digits';

const PAIRED: u32 = 0x1;
const UNPAIRED_RANK: u32 = 3;

// @ts-ignore: decorator
@inline
export function putStrand(flag: u32): void { put(flag >> 4 & 1); }

// @ts-ignore: decorator
@inline
export function putTemplate(flag: u32): void { put((flag >> 6 & 3) << 2 | (flag >> 8 & 1) << 1 | flag >> 11 & 1); }

export function putPicardTemplate(flag: u32): void {
  // The marks of first and second: 0 none, 1 first, 2 second, 3 both.
  const marks = flag >> 6 & 3;
  const rank = (flag & PAIRED) == 0 ? UNPAIRED_RANK : marks == 1 ? 0 : marks == 2 ? 2 : 1;
  put(rank << 3 | (flag >> 4 & 1) << 2 | (flag >> 8 & 1) << 1 | flag >> 11 & 1);
}
