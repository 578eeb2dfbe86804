/**
 * `tag`: an optional field of SAM or BAM, as `samtools sort -t` orders it: absent; a character; an array, all equal;
 * text by bytes; numbers by value, in a float's precision if they are floats. The row is a digit for the kind, then the
 * value.
 */
import { isDigit } from './bytes';
import { setDecimal } from './decimal';
import { put, putByte } from '../shared/digits';
import { putMagnitude } from './general';
import { exponent, mantissa, setExact, setInfinite, setZero } from './long-double';
import { BAD_TAG, report } from './problem';
import { putText } from './text';
import { skipFields } from '../shared/fields';

const TAB: u32 = 9;
const COLON: u8 = 58;
const MINUS: u8 = 45;
const PLUS: u8 = 43;
const POINT: u8 = 46;
const LETTER_E: u8 = 101;

/** First digits of rows. */
const ABSENT: u32 = 0;
const CHARACTER: u32 = 1;
const ARRAY: u32 = 2;
const TEXT: u32 = 3;
const NUMBER: u32 = 4;
/** After NUMBER: below all numbers. */
const NAN: u32 = 0;

/** Types, as characters. */
const A: u8 = 65;
const LOWER_A: u8 = 97;
const B: u8 = 66;
const H: u8 = 72;
const Z: u8 = 90;
const INTEGER: u8 = 105;
const FLOAT: u8 = 102;
const BYTE: u8 = 99;
const UBYTE: u8 = 67;
const SHORT: u8 = 115;
const USHORT: u8 = 83;
const UINTEGER: u8 = 73;
const DOUBLE: u8 = 100;

/**
 * Writes the row of the field `name`, two characters, the first lowest, of the fields of SAM text [at, end). Returns
 * whether it is there.
 */
export function putTag(at: u32, end: u32, name: u32): bool {
  while (at < end) {
    const stop = skipFields(at, end, 1, TAB, 1, false);
    if (stop - at >= 5 && <u32>load<u16>(at) == name && load<u8>(at, 2) == COLON) {
      if (load<u8>(at, 4) != COLON || !putField(load<u8>(at, 3), at + 5, stop)) report(BAD_TAG, at, stop);
      return true;
    }
    at = stop + 1;
  }
  put(ABSENT);
  return false;
}

/** Writes the row of the value [at, end) in SAM text; false if it is malformed. */
function putField(type: u8, at: u32, end: u32): bool {
  switch (type) {
    case A:
    // htslib reads these types of SAM as characters.
    case LOWER_A:
    case BYTE:
    case UBYTE: {
      if (end - at != 1) return false;
      putCharacter(load<u8>(at));
      return true;
    }
    case B: {
      put(ARRAY);
      return true;
    }
    case H:
    case Z: {
      putValueText(at, end);
      return true;
    }
    case INTEGER:
    case UINTEGER:
    case FLOAT:
    case DOUBLE: return putDecimal(at, end, type);
    default: return false;
  }
}

/** Writes the row of the field `name` of the fields of BAM [at, end). Returns whether it is there. */
export function putBamTag(at: u32, end: u32, name: u32): bool {
  while (end - at >= 3) {
    const type = load<u8>(at, 2);
    const value = at + 3;
    const stop = bamFieldEnd(type, value, end);
    if (stop == 0) break;
    if (<u32>load<u16>(at) == name) {
      putBamField(type, value, stop);
      return true;
    }
    at = stop;
  }
  if (at != end) report(BAD_TAG, at, min(end, at + 2));
  put(ABSENT);
  return false;
}

/** The end of the value of type `type` at `at`; 0 if it does not end before `end`. */
export function bamFieldEnd(type: u8, at: u32, end: u32): u32 {
  let bytes: u64 = bytesOf(type);
  if (type == H || type == Z) {
    for (; at < end; at++) if (load<u8>(at) == 0) return at + 1;
    return 0;
  }
  if (type == B) {
    if (end - at < 5) return 0;
    const size = bytesOf(load<u8>(at));
    bytes = size == 0 ? 0 : 5 + <u64>size * <u64>load<u32>(at, 1);
  }
  return bytes == 0 || bytes > <u64>(end - at) ? 0 : at + <u32>bytes;
}

/** The bytes of a value; 0: it is not of a fixed size. */
function bytesOf(type: u8): u32 {
  switch (type) {
    case A:
    case BYTE:
    case UBYTE: return 1;
    case SHORT:
    case USHORT: return 2;
    case INTEGER:
    case UINTEGER:
    case FLOAT: return 4;
    case DOUBLE: return 8;
    default: return 0;
  }
}

/** Writes the row of a value, which ends at `end`. */
function putBamField(type: u8, at: u32, end: u32): void {
  switch (type) {
    case A: return putCharacter(load<u8>(at));
    case B: return put(ARRAY);
    case H:
    case Z: return putValueText(at, end - 1);
    case BYTE: return putNumeric(<f64>load<i8>(at));
    case UBYTE: return putNumeric(<f64>load<u8>(at));
    case SHORT: return putNumeric(<f64>load<i16>(at));
    case USHORT: return putNumeric(<f64>load<u16>(at));
    case INTEGER: return putNumeric(<f64>load<i32>(at));
    case UINTEGER: return putNumeric(<f64>load<u32>(at));
    case FLOAT: return putNumeric(<f64>load<f32>(at));
    default: putNumeric(load<f64>(at));
  }
}

function putCharacter(byte: u8): void {
  put(CHARACTER);
  putByte(byte);
}

function putValueText(at: u32, end: u32): void {
  put(TEXT);
  putText(at, end, false);
}

/** Writes the row of a number in decimal; false if there is none, or if other bytes follow it. */
function putDecimal(at: u32, end: u32, type: u8): bool {
  const isFloat = type == FLOAT || type == DOUBLE;
  const negative = at < end && load<u8>(at) == MINUS;
  if (negative || (at < end && load<u8>(at) == PLUS)) at++;
  if (isFloat && isWord(at, end, 0x666e69)) {
    putNumeric(negative ? -Infinity : Infinity);
    return true;
  }
  if (isFloat && isWord(at, end, 0x6e616e)) {
    putNumeric(NaN);
    return true;
  }
  if (!isDecimal(at, end, isFloat)) return false;
  setDecimal(at, end);
  // Scaling by a power of two is exact in the range of floats.
  let value = mantissa == 0 || exponent < -200 ? 0 : exponent > 200 ? Infinity
    : <f64>mantissa * reinterpret<f64>(<u64>(exponent - 63 + 1023) << 52);
  if (type == FLOAT) value = <f64><f32>value;
  putNumeric(negative ? -value : value);
  return true;
}

/** Whether [at, end) is digits, with a point and an exponent if `isFloat`. */
function isDecimal(at: u32, end: u32, isFloat: bool): bool {
  let digits: u32 = 0;
  for (; at < end && isDigit(load<u8>(at)); at++) digits++;
  if (isFloat && at < end && load<u8>(at) == POINT) for (at++; at < end && isDigit(load<u8>(at)); at++) digits++;
  if (digits == 0) return false;
  if (isFloat && at < end && (load<u8>(at) | 32) == LETTER_E) {
    at++;
    if (at < end && (load<u8>(at) == MINUS || load<u8>(at) == PLUS)) at++;
    if (at == end) return false;
    while (at < end && isDigit(load<u8>(at))) at++;
  }
  return at == end;
}

/** Whether [at, end) is the word of three letters in either case, the first lowest. */
function isWord(at: u32, end: u32, word: u32): bool {
  return end - at == 3 && ((<u32>load<u16>(at) | <u32>load<u8>(at + 2) << 16) | 0x202020) == word;
}

function putNumeric(value: f64): void {
  put(NUMBER);
  if (isNaN(value)) {
    put(NAN);
    return;
  }
  const bits = reinterpret<u64>(value);
  const power = <i32>(bits >> 52 & 2047);
  // Numbers below 2^-1022 occur only in the type `d`, which no tool writes.
  if (power == 0) setZero();
  else if (power == 2047) setInfinite();
  else setExact(bits << 11 | 1 << 63, power - 1023);
  putMagnitude(value < 0);
}
