/** `length`: the number of bytes of a part. The row is the number in four digits. */
import { putNumber } from '../shared/digits';

/** Writes the row of [at, end). */
export function putLength(at: u32, end: u32): void { putNumber(end - at); }
