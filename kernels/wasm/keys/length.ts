/**
 * `length`: the number of bytes of a part, without a carriage return at its end. The row is the number in four digits.
 */
import { putNumber } from '../shared/digits';

const RETURN: u8 = 13;

/** Where the text [at, end) ends without its carriage return. */
// @ts-ignore: decorator
@inline
export function withoutReturn(at: u32, end: u32): u32 {
  return end > at && load<u8>(end - 1) == RETURN ? end - 1 : end;
}

/** Writes the row of [at, end). */
export function putLength(at: u32, end: u32): void { putNumber(withoutReturn(at, end) - at); }
