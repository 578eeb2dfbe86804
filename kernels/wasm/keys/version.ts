/**
 * -V: names that contain version numbers, as in GNU sort 9.1. The empty name, ".", ".." and hidden names come first.
 * Names compare without their suffixes, (\.[A-Za-z~][A-Za-z0-9~]*)*$, and if that leaves them equal, with them. A name
 * is read as text, number, text, number and so on. Texts compare by byte, but ~ sorts before the end of the text, which
 * sorts before letters, which sort before everything else. Numbers compare by value. A name that ends in a text has the
 * number zero after it. (Only in 9.1 can a suffix be a whole name, so that .A sorts before .0.)
 */
import { isDigit, isLetter } from './bytes';
import { BASE, put, putNumber } from '../shared/digits';

const POINT: u8 = 46;
const ZERO: u8 = 48;
const TILDE: u8 = 126;

/** First digits of special names. */
const EMPTY: u32 = 0;
const HIDDEN: u32 = 1;
/** After HIDDEN: the name is "." or "..", or all suffix, or another one, which is then written without its point. */
const DOT: u32 = 0;
const DOT_DOT: u32 = 1;
const ALL_SUFFIX: u32 = 2;
const OTHER: u32 = 3;

/** Digits of texts, in order; `digits` numbers letters and other bytes. */
const BEFORE_ALL: u32 = 2;
const NUMBER: u32 = 3;
const END: u32 = 3;
const SUFFIX_BEHIND_NUMBER: u32 = 4;
const SUFFIX_BEHIND_TEXT: u32 = 5;
const FIRST_LETTER: u32 = 6;
/** A point followed by a number: one less before ~, one more before other text. */
let pointNumber: u32 = 0;

/** The digit of each byte of a text. */
const digits: usize = memory.data(256);
numberBytes();

/** Numbers letters from FIRST_LETTER, then other bytes, the point three times: up to 252. */
function numberBytes(): void {
  let next = FIRST_LETTER;
  for (let byte: u32 = 0; byte < 256; byte++) {
    if (isLetter(<u8>byte)) store<u8>(digits + byte, <u8>(next++));
  }
  for (let byte: u32 = 0; byte < 256; byte++) {
    if (byte == POINT) {
      pointNumber = next + 1;
      next += 3;
    } else if (byte == TILDE) store<u8>(digits + byte, <u8>BEFORE_ALL);
    else if (!isLetter(<u8>byte) && !isDigit(<u8>byte)) store<u8>(digits + byte, <u8>(next++));
  }
}

/**
 * Writes the row of the name [at, end).
 *
 * The row is a digit for each byte of a text, then NUMBER, then the number (putCount). So at the first difference of
 * two texts a digit meets a digit or NUMBER, which represents the end of the text. After a number comes a text or the
 * end of the name. END lies between ~ and letters, as NUMBER does, and the two never meet.
 *
 * The rest of the row decides between names that are equal without suffixes, apart from zeros before numbers and at the
 * end (a, a0). No suffix sorts first, because suffixes begin with a point. With their suffixes, a0.x and a.x differ
 * where one has a number and the other a point, so names that end in a number sort before those that end in a text. If
 * both end alike, the suffixes decide, read like names.
 *
 * A point followed by a number is one digit, so the row of 1.10.3 takes seven, one for its end included.
 */
export function putVersion(at: u32, end: u32): void {
  if (at == end) {
    put(EMPTY);
    return;
  }
  const suffix = suffixBegin(at, end);
  if (load<u8>(at) == POINT) {
    put(HIDDEN);
    const bytes = end - at;
    if (bytes == 1 || (bytes == 2 && load<u8>(at, 1) == POINT)) {
      put(bytes == 1 ? DOT : DOT_DOT);
      return;
    }
    if (suffix == at) {
      put(ALL_SUFFIX);
      putName(at, end);
      return;
    }
    put(OTHER);
    at++;
  }
  if (suffix == end) {
    putName(at, end);
    return;
  }
  putParts(at, suffix);
  put(isDigit(load<u8>(suffix - 1)) ? SUFFIX_BEHIND_NUMBER : SUFFIX_BEHIND_TEXT);
  putName(suffix, end);
}

/** Where the suffix of [at, end) begins; `end` if there is none. */
function suffixBegin(at: u32, end: u32): u32 {
  let suffix = end;
  for (let i = end; i > at; ) {
    const byte = load<u8>(--i);
    if (byte == POINT) {
      if (i + 1 == suffix || isDigit(load<u8>(i, 1))) break;
      suffix = i;
    } else if (!isLetter(byte) && !isDigit(byte) && byte != TILDE) break;
  }
  return suffix;
}

/** Writes [at, end) and the end of the name. */
function putName(at: u32, end: u32): void {
  putParts(at, end);
  put(END);
}

/** Writes the texts and numbers of [at, end) in turn, from a text, which may be empty, to a number. */
function putParts(at: u32, end: u32): void {
  do {
    let point = false;
    while (at < end && !isDigit(load<u8>(at))) {
      const byte = load<u8>(at++);
      point = byte == POINT;
      if (!point) put(<u32>load<u8>(digits + <usize>byte));
      else if (at < end && !isDigit(load<u8>(at))) put(load<u8>(at) == TILDE ? pointNumber - 1 : pointNumber + 1);
    }
    put(point ? pointNumber : NUMBER);
    while (at < end && load<u8>(at) == ZERO) at++;
    const number = at;
    while (at < end && isDigit(load<u8>(at))) at++;
    putCount(number, at);
  } while (at < end);
}

/**
 * Numbers below ONE take one digit, below TWO two. Others begin with their count of decimal digits, up to LONG
 * in one digit.
 */
const ONE: u32 = 190;
const TWO: u32 = ONE + 32 * BASE;
const DECIMALS: u32 = 222;
const LONG: u32 = BASE - 1;

/** Writes the number of the decimal digits [at, end), the first of which is not zero. */
function putCount(at: u32, end: u32): void {
  const count = end - at;
  if (count <= 4) {
    let value: u32 = 0;
    for (let i = at; i < end; i++) value = 10 * value + <u32>(load<u8>(i) - ZERO);
    if (value < ONE) {
      put(value);
      return;
    }
    if (value < TWO) {
      put(ONE + (value - ONE) / BASE);
      put((value - ONE) % BASE);
      return;
    }
  }
  if (DECIMALS + count < LONG) put(DECIMALS + count);
  else {
    put(LONG);
    putNumber(count);
  }
  // In pairs, an odd last digit as a tens digit: numbers compared here have the same length.
  for (; at < end; at += 2) put(<u32>(load<u8>(at) - ZERO) * 10 + (at + 1 < end ? <u32>(load<u8>(at, 1) - ZERO) : 0));
}
