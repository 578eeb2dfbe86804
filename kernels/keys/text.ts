/**
 * Bytes as they are, or filtered by -d, -i and -f: those that do not count are left out, small letters made large. The row is a digit or two for
 * each, and 0 behind the last.
 */
import { isBlank, isDigit, isLetter, isPrinting, upper, upperLanes } from './bytes';
import { put, putByte, putBytes } from './digits';

/** For each byte what it counts as, as a number of 16 bits; DROPPED: it does not. At an address of the part's own. */
const DROPPED: u16 = 256;
export const FILTER_BYTES: usize = 512;

/** The byte that no text holds, mostly the one that ends lines: bytes above it have a rank less. ANY: there is no such byte. */
let missing: u32 = 10;
export const ANY: u32 = 255;

export function setMissing(byte: u32): void { missing = byte; }

/** Makes the filter at `filter`. Under -d it is -d alone that says what counts, as in GNU sort: tabs do, printing or not. */
export function setFilter(filter: usize, dictionary: bool, printing: bool, fold: bool): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    const letter = <u8>byte;
    const drops = dictionary ? !isBlank(letter) && !isLetter(letter) && !isDigit(letter) : printing && !isPrinting(letter);
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

/** Writes the row of [at, end); under `fold` small letters are as large ones. */
export function putText(at: u32, end: u32, fold: bool): void {
  for (; at < end; at += 16) {
    let bytes = v128.load(at);
    if (fold) bytes = upperLanes(bytes);
    // A lane that a comparison finds true is -1.
    putBytes(i8x16.add(bytes, i8x16.gt_u(bytes, i8x16.splat(<i8>missing))), min(16, end - at));
  }
  put(0);
}

/** The same of what counts. */
export function putFiltered(at: u32, end: u32, filter: usize): void {
  for (; at < end; at++) {
    const byte = <u32>load<u16>(filter + (<usize>load<u8>(at) << 1));
    if (byte != DROPPED) putByte(byte - u32(byte > missing));
  }
  put(0);
}
