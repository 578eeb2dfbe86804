/**
 * What a key is written in: digits of base 255, which are the bytes but the one that ends records, so that a key can stand in a line.
 * Knows no order of its own.
 *
 * An ordering encodes a part of a record as a row of digits such that rows compare, digit by digit, as the parts are to be ordered, and that no
 * row begins another: then rows stand one behind the other, and a row whose every digit is turned about (254 - d) orders the other way.
 */

/** Digits are below this. */
export const BASE: u32 = 255;

/** Where the next digit is written. */
export let place: usize = 0;
/** The byte that no digit is. */
export let delimiter: u32 = 10;
/** All ones where larger parts come first, else 0. */
let turned: u32 = 0;

export function setDelimiter(newDelimiter: u32): void { delimiter = newDelimiter; }

/** Begins a row at `at`, to be turned about where `reverse`. */
export function beginRow(at: usize, reverse: bool): void {
  place = at;
  turned = reverse ? BASE - 1 : 0;
}

/** Writes a digit, 0 to 254. */
// @ts-ignore: decorator
@inline
export function put(digit: u32): void {
  const value = turned != 0 ? turned - digit : digit;
  store<u8>(place++, <u8>(value + u32(value >= delimiter)));
}

/** The same, turned about by a part's own sign: `about` is 254 in the row of a negative number, else 0. */
// @ts-ignore: decorator
@inline
export function putTurned(digit: u32, about: u32): void { put(about != 0 ? about - digit : digit); }

/** Writes a byte of the text that is not the delimiter, or a byte of anything: 253 and 254 take two digits. Its digits are greater than 0. */
export function putByte(rank: u32): void {
  if (rank < BASE - 2) put(rank + 1);
  else {
    put(BASE - 1);
    put(rank - (BASE - 2));
  }
}

/** Writes a number below 255 ** 4 in four digits. */
export function putNumber(value: u32): void {
  put(value / (BASE * BASE * BASE));
  put(value / (BASE * BASE) % BASE);
  put(value / BASE % BASE);
  put(value % BASE);
}
