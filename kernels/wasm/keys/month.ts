/**
 * -M: month names after blanks. Only the first three letters count, in either case. Anything else sorts before January.
 * The row is one digit: the month's number, or 0.
 */
import { isBlank, upper } from './bytes';
import { put } from '../shared/digits';

/** Writes the row of the name at the beginning of [at, end). */
export function putMonth(at: u32, end: u32): void {
  while (at < end && isBlank(load<u8>(at))) at++;
  put(end - at < 3 ? 0 : month(upper(load<u8>(at)), upper(load<u8>(at, 1)), upper(load<u8>(at, 2))));
}

/** Three letters as one number. */
// @ts-ignore: decorator
@inline
function joined(first: u32, second: u32, third: u32): u32 { return first << 16 | second << 8 | third; }

/** 1 to 12, or 0; the letters are uppercase. */
function month(first: u32, second: u32, third: u32): u32 {
  switch (joined(first, second, third)) {
    case joined(74, 65, 78): return 1; // JAN
    case joined(70, 69, 66): return 2; // FEB
    case joined(77, 65, 82): return 3; // MAR
    case joined(65, 80, 82): return 4; // APR
    case joined(77, 65, 89): return 5; // MAY
    case joined(74, 85, 78): return 6; // JUN
    case joined(74, 85, 76): return 7; // JUL
    case joined(65, 85, 71): return 8; // AUG
    case joined(83, 69, 80): return 9; // SEP
    case joined(79, 67, 84): return 10; // OCT
    case joined(78, 79, 86): return 11; // NOV
    case joined(68, 69, 67): return 12; // DEC
    default: return 0;
  }
}
