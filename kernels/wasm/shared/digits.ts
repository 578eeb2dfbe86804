/**
 * The digits of keys: base 255, every byte except the one that ends records, because a line contains the key. Knows no
 * ordering.
 *
 * A row is the normalized key of one part: digits that compare one by one as the parts do. The code is prefix-free, so
 * rows can be concatenated, and complementing every digit (254 - d) reverses the order.
 */

/** All digits are less than this. */
export const BASE: u32 = 255;
/** The number of each lane of a vector of 16 bytes. */
export const LANES: v128 = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

/** Byte ranks from here take two digits. */
const WIDE: u32 = BASE - 2;

/** Where the next digit is written. */
export let place: usize = 0;
/** The byte that is not a digit. */
export let delimiter: u32 = 10;

export function setDelimiter(newDelimiter: u32): void { delimiter = newDelimiter; }

/** Sets the place of the next digit. */
// @ts-ignore: decorator
@inline
export function goTo(at: usize): void { place = at; }

/** Writes a digit, 0 to 254. */
// @ts-ignore: decorator
@inline
export function put(digit: u32): void { store<u8>(place++, <u8>digit); }

/** Writes a digit of a signed number, complemented if `about` is 254, as for negative numbers; else `about` is 0. */
// @ts-ignore: decorator
@inline
export function putTurned(digit: u32, about: u32): void { put(about != 0 ? about - digit : digit); }

/** Writes the first `count` lanes of `digits`, up to 16. */
// @ts-ignore: decorator
@inline
export function putDigits(digits: v128, count: u32): void {
  v128.store(place, digits);
  place += count;
}

/** Writes a digit, then the first `count` lanes of `others`, up to 16. */
// @ts-ignore: decorator
@inline
export function putFirst(digit: u32, others: v128, count: u32): void {
  store<u8>(place, <u8>digit);
  v128.store(place, others, 1);
  place += 1 + count;
}

/** Writes the rank of a byte, 0 to 255, as one nonzero digit or two. */
export function putByte(rank: u32): void {
  if (rank < WIDE) put(rank + 1);
  else {
    put(BASE - 1);
    put(rank - WIDE);
  }
}

/** Room for the lanes of a vector. */
const lanes: usize = memory.data(16, 16);

/** putByte for the first `count` lanes of `ranks`, up to 16. */
// @ts-ignore: decorator
@inline
export function putBytes(ranks: v128, count: u32): void {
  if (!v128.any_true(i8x16.ge_u(ranks, i8x16.splat(<i8>WIDE)))) {
    putDigits(i8x16.add(ranks, i8x16.splat(1)), count);
    return;
  }
  v128.store(lanes, ranks);
  for (let i: u32 = 0; i < count; i++) putByte(<u32>load<u8>(lanes + i));
}

/** Writes a number below 255 ** 4 in four digits. */
export function putNumber(value: u32): void {
  put(value / (BASE * BASE * BASE));
  put(value / (BASE * BASE) % BASE);
  put(value / BASE % BASE);
  put(value % BASE);
}

/**
 * Makes the digits from `begin` on bytes, complemented if `reverse`. Orderings write plain digits (put, putDigits ...).
 * Both work on 16 at once, so up to 15 bytes after a row are garbage until overwritten.
 */
// @ts-ignore: decorator
@inline
export function endRow(begin: usize, reverse: bool): void {
  const pattern = i8x16.splat(<i8>delimiter);
  for (let at = begin; at < place; at += 16) {
    let digits = v128.load(at);
    if (reverse) digits = i8x16.sub(i8x16.splat(<i8>(BASE - 1)), digits);
    // A true lane of a comparison is -1.
    v128.store(at, i8x16.sub(digits, i8x16.ge_u(digits, pattern)));
  }
}

/** Writes a number below 255 ** 4 in four bytes at `at`, without touching later bytes. */
// @ts-ignore: decorator
@inline
export function storeNumber(at: usize, value: u32): void {
  const zero = u32(delimiter == 0);
  if (value < BASE) store<u32>(at, zero * 0x010101 | (value + u32(value >= delimiter)) << 24);
  else for (let i: usize = 4; i-- > 0; value /= BASE) {
    store<u8>(at + i, <u8>(value % BASE + u32(value % BASE >= delimiter)));
  }
}
