/**
 * Bytes as they are, or filtered by -d, -i and -f: those that do not count are left out, small letters made large. The row is a digit or two for
 * each, and 0 behind the last.
 */
import { isBlank, isDigit, isLetter, isPrinting, upper } from './bytes';
import { delimiter, put, putByte } from './digits';

/** For each byte what it counts as, as a number of 16 bits; DROPPED: it does not. At an address of the part's own. */
const DROPPED: u16 = 256;
export const FILTER_BYTES: usize = 512;

/** Makes the filter at `filter`. */
export function setFilter(filter: usize, dictionary: bool, printing: bool, fold: bool): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    const letter = <u8>byte;
    const drops = (dictionary && !isBlank(letter) && !isLetter(letter) && !isDigit(letter)) || (printing && !isPrinting(letter));
    store<u16>(filter + (<usize>byte << 1), drops ? DROPPED : <u16>(fold ? upper(letter) : letter));
  }
}

/** Copies what counts of [at, end) to `target`; returns the end of the copy. */
export function filterBytes(at: u32, end: u32, filter: usize, target: u32): u32 {
  for (; at < end; at++) {
    const byte = load<u16>(filter + (<usize>load<u8>(at) << 1));
    if (byte != DROPPED) store<u8>(target++, <u8>byte);
  }
  return target;
}

/** Writes the row of [at, end), which holds no delimiter. */
export function putText(at: u32, end: u32): void {
  for (; at < end; at++) {
    const byte = <u32>load<u8>(at);
    putByte(byte - u32(byte > delimiter));
  }
  put(0);
}

/** The same of what counts. */
export function putFiltered(at: u32, end: u32, filter: usize): void {
  for (; at < end; at++) {
    const byte = <u32>load<u16>(filter + (<usize>load<u8>(at) << 1));
    if (byte != DROPPED) putByte(byte - u32(byte > delimiter));
  }
  put(0);
}
