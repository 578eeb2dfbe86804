/**
 * Bytes as they are, or filtered by -d, -i and -f: bytes that do not count are dropped, lowercase is folded to
 * uppercase. The row is one or two digits for each byte, then 0.
 */
import { isBlank, isDigit, isLetter, isPrinting, upper, upperLanes } from './bytes';
import { put, putByte, putBytes } from '../shared/digits';

/** For each byte the value that it counts as, a 16-bit number, or DROPPED. Each part has its own table. */
const DROPPED: u16 = 256;
export const FILTER_BYTES: usize = 512;

/**
 * The byte that no text contains, usually the delimiter: bytes above it have a rank one less.
 * ANY: there is no such byte.
 */
let missing: u32 = 10;
export const ANY: u32 = 255;

export function setMissing(byte: u32): void { missing = byte; }

/**
 * Makes the filter at `filter`. With -d, -i has no effect, as in GNU sort: tabs count, although they are not printable.
 */
export function setFilter(filter: usize, dictionary: bool, printing: bool, fold: bool): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    const letter = <u8>byte;
    const drops = dictionary ? !isBlank(letter) && !isLetter(letter) && !isDigit(letter)
      : printing && !isPrinting(letter);
    store<u16>(filter + (<usize>byte << 1), drops ? DROPPED : <u16>(fold ? upper(letter) : letter));
  }
}

/** Copies the bytes of [at, end) that count to `target`; returns the end of the copy. */
export function filterBytes(at: u32, end: u32, filter: usize, target: u32): u32 {
  for (; at < end; at++) {
    const byte = load<u16>(filter + (<usize>load<u8>(at) << 1));
    if (byte != DROPPED) store<u8>(target++, <u8>byte);
  }
  return target;
}

/** Writes the row of [at, end); `fold`: with lowercase folded to uppercase. */
export function putText(at: u32, end: u32, fold: bool): void {
  for (; at < end; at += 16) {
    let bytes = v128.load(at);
    if (fold) bytes = upperLanes(bytes);
    // A true lane of a comparison is -1.
    putBytes(i8x16.add(bytes, i8x16.gt_u(bytes, i8x16.splat(<i8>missing))), min(16, end - at));
  }
  put(0);
}

/** putText for the bytes that count. */
export function putFiltered(at: u32, end: u32, filter: usize): void {
  for (; at < end; at++) {
    const byte = <u32>load<u16>(filter + (<usize>load<u8>(at) << 1));
    if (byte != DROPPED) putByte(byte - u32(byte > missing));
  }
  put(0);
}
