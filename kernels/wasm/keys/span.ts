/**
 * `span`: the second of two whole numbers, with a tab or blanks between them, less the first. The row is that of
 * `signed`.
 */
import { numberAt, putSigned } from './integer';

const TAB: u8 = 9;
const SPACE: u8 = 32;

/** Writes the row of [at, end). `blanks`: any number of spaces and tabs separate the numbers, not one tab. */
export function putSpan(at: u32, end: u32, blanks: bool): void {
  let middle = at;
  while (middle < end && !separates(load<u8>(middle), blanks)) middle++;
  const first = numberAt(at, middle);
  if (middle < end) middle++;
  while (blanks && middle < end && separates(load<u8>(middle), true)) middle++;
  const second = numberAt(middle, end);
  putSigned(second - first, at, end);
}

// @ts-ignore: decorator
@inline
function separates(byte: u8, blanks: bool): bool { return byte == TAB || (blanks && byte == SPACE); }
