/**
 * JSON, one value per line (RFC 8259): finds the value at a path. A string counts as the text it stands for, in UTF-8;
 * other values count as written; a missing value, or a line that is not JSON, counts as no bytes. Checks only the part
 * of the line that it has to read, and not the digits of numbers. All reads extend up to 15 bytes past the end of the
 * line.
 */

const QUOTE: u8 = 34;
const BACKSLASH: u8 = 92;
const COMMA: u8 = 44;
const COLON: u8 = 58;
const OBJECT: u8 = 123;
const OBJECT_END: u8 = 125;
const ARRAY: u8 = 91;
const ARRAY_END: u8 = 93;
/** The bit in which brackets and braces differ. */
const BRACKET_BIT: u8 = 32;
/** The distance from a bracket that opens to the one that closes. */
const TO_CLOSING: u8 = 2;
const LETTER_U: u8 = 117;
const PLUS: u8 = 43;
const MINUS: u8 = 45;
const POINT: u8 = 46;
const ZERO: u8 = 48;
/** Words in little-endian: `null`, `true`, `fals`, the first three letters of `NaN`, and `Infinity`. */
const NULL: u32 = 0x6c6c756e;
const TRUE: u32 = 0x65757274;
const FALSE_BEGIN: u32 = 0x736c6166;
const NAN: u32 = 0x4e614e;
const INFINITY: u64 = 0x7974696e69666e49;
const LETTER_E: u8 = 101;
/** Replaces an invalid character: a lone surrogate. */
const REPLACEMENT: u32 = 0xfffd;

/** The result of `findJson`, and whether there is a value. */
export let jsonBegin: u32 = 0;
export let jsonEnd: u32 = 0;
export let jsonFound: bool = false;
/** Whether the value is `null`. */
export let jsonNull: bool = false;

/** Whether the last `skipString` passed a backslash. */
let escaped: bool = false;
/** Whether the last string, object or array that was skipped ends in the line. */
let ended: bool = false;

/**
 * Finds the value in [at, end) at the path of `steps` steps at `path`. A step is a length of 4 bytes and a name, which
 * for arrays is an index from 0. A string with escapes is copied to `spare`; other values stay in the line.
 */
export function findJson(at: u32, end: u32, path: usize, steps: u32, spare: u32): void {
  jsonBegin = jsonEnd = end;
  const isMember = steps > 0;
  at = skipSpace(at, end);
  for (; steps > 0 && at < end; steps--) {
    const length = load<u32>(path);
    at = member(at, end, path + 4, length, spare);
    path += 4 + length;
  }
  jsonFound = false;
  jsonNull = false;
  if (at >= end) return;
  const stop = skipValue(at, end);
  const first = load<u8>(at);
  if (first == QUOTE || first == OBJECT || first == ARRAY) jsonFound = ended;
  // At the end of a line, a member may be cut off.
  else jsonFound = isScalar(at, stop) && !(isMember && stop == end);
  if (!jsonFound) return;
  if (first != QUOTE) {
    jsonBegin = at;
    jsonEnd = stop;
    jsonNull = stop - at == 4 && load<u32>(at) == NULL;
  } else if (escaped) {
    jsonBegin = spare;
    jsonEnd = copyString(at, stop, spare);
  } else {
    jsonBegin = at + 1;
    jsonEnd = stop - 1;
  }
}

/**
 * Whether the line [at, end) is a JSON value, with blanks around it. Checks all but the text of strings. Uses as much
 * memory at `stack` as the line has.
 */
export function isJson(at: u32, end: u32, stack: usize): bool {
  let depth: usize = 0;
  at = skipSpace(at, end);
  while (at < end) {
    // A value begins here.
    const first = load<u8>(at);
    if (first == OBJECT || first == ARRAY) {
      store<u8>(stack + depth++, first);
      at = skipSpace(at + 1, end);
      if (at >= end) return false;
      if (load<u8>(at) != first + TO_CLOSING) {
        if (first == OBJECT) at = passName(at, end);
        continue;
      }
    } else {
      const stop = skipValue(at, end);
      if (first == QUOTE ? !ended : !isWord(at, stop) && !isNumber(at, stop)) return false;
      at = skipSpace(stop, end);
    }
    // Objects and arrays may end after a value.
    for (;;) {
      if (depth == 0) return at >= end;
      if (at >= end) return false;
      const open = load<u8>(stack + depth - 1);
      const byte = load<u8>(at);
      at = skipSpace(at + 1, end);
      if (byte == COMMA) {
        if (open == OBJECT) at = passName(at, end);
        break;
      }
      if (byte != open + TO_CLOSING) return false;
      depth--;
    }
  }
  return false;
}

/** Where the value of the member begins whose name is at `at`; `end` if there is none. */
function passName(at: u32, end: u32): u32 {
  if (at >= end || load<u8>(at) != QUOTE) return end;
  at = skipSpace(skipString(at, end), end);
  return at < end && load<u8>(at) == COLON ? skipSpace(at + 1, end) : end;
}

/** Whether [at, end) is a number of JSON, or -Infinity. */
function isNumber(at: u32, end: u32): bool {
  if (at < end && load<u8>(at) == MINUS) at++;
  if (end - at == 8 && load<u64>(at) == INFINITY) return true;
  const whole = at;
  at = skipDigits(at, end);
  if (at == whole || (load<u8>(whole) == ZERO && at > whole + 1)) return false;
  if (at < end && load<u8>(at) == POINT) {
    const from = ++at;
    at = skipDigits(at, end);
    if (at == from) return false;
  }
  if (at < end && (load<u8>(at) | 32) == LETTER_E) {
    at++;
    if (at < end && (load<u8>(at) == PLUS || load<u8>(at) == MINUS)) at++;
    const from = at;
    at = skipDigits(at, end);
    if (at == from) return false;
  }
  return at == end;
}

function skipDigits(at: u32, end: u32): u32 {
  while (at < end && load<u8>(at) - ZERO < 10) at++;
  return at;
}

/** Whether [at, end) is `null`, `true`, `false`, or begins like a number. Python also writes NaN and Infinity. */
function isScalar(at: u32, end: u32): bool {
  if (at == end) return false;
  const first = load<u8>(at);
  return first == MINUS || first - ZERO < 10 || isWord(at, end);
}

function isWord(at: u32, end: u32): bool {
  const word = load<u32>(at);
  switch (end - at) {
    case 3: return (word & 0xffffff) == NAN;
    case 4: return word == NULL || word == TRUE;
    case 5: return word == FALSE_BEGIN && load<u8>(at, 4) == LETTER_E;
    case 8: return load<u64>(at) == INFINITY;
    default: return false;
  }
}

function isSpace(byte: u8): bool { return byte == 32 || byte == 9 || byte == 10 || byte == 13; }

function skipSpace(at: u32, end: u32): u32 {
  while (at < end && isSpace(load<u8>(at))) at++;
  return at;
}

/** The address after the string at `at`. */
function skipString(at: u32, end: u32): u32 {
  escaped = false;
  ended = true;
  for (at++; at < end;) {
    const bytes = v128.load(at);
    const found = i8x16.bitmask(v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH))));
    if (found == 0) {
      at += 16;
      continue;
    }
    at += ctz(found);
    if (at >= end) break;
    if (load<u8>(at) == QUOTE) return at + 1;
    escaped = true;
    at += 2;
  }
  ended = false;
  return end;
}

/** The address after the value at `at`. */
function skipValue(at: u32, end: u32): u32 {
  const first = load<u8>(at);
  if (first == QUOTE) return skipString(at, end);
  if (first == OBJECT || first == ARRAY) return skipMembers(at, end);
  while (at < end && !endsValue(load<u8>(at))) at++;
  return at;
}

/** The address after the object or array at `at`. */
function skipMembers(at: u32, end: u32): u32 {
  let depth: u32 = 0;
  while (at < end) {
    const bytes = v128.load(at);
    const upper = v128.or(bytes, i8x16.splat(BRACKET_BIT));
    const brackets = v128.or(i8x16.eq(upper, i8x16.splat(OBJECT)), i8x16.eq(upper, i8x16.splat(OBJECT_END)));
    const found = i8x16.bitmask(v128.or(brackets, i8x16.eq(bytes, i8x16.splat(QUOTE))));
    if (found == 0) {
      at += 16;
      continue;
    }
    at += ctz(found);
    if (at >= end) break;
    const byte = load<u8>(at);
    if (byte == QUOTE) {
      at = skipString(at, end);
      continue;
    }
    at++;
    if ((byte | BRACKET_BIT) == OBJECT) depth++;
    else if (--depth == 0) {
      ended = true;
      return at;
    }
  }
  ended = false;
  return end;
}

function endsValue(byte: u8): bool { return isSpace(byte) || byte == COMMA || byte == OBJECT_END || byte == ARRAY_END; }

/**
 * Where the member `name` of the object or array at `at` begins; `end` if there is none.
 * The first of equal names counts.
 */
function member(at: u32, end: u32, name: usize, length: u32, spare: u32): u32 {
  const first = load<u8>(at);
  if (first != OBJECT && first != ARRAY) return end;
  const index = first == ARRAY ? indexOf(name, length) : 0;
  if (index < 0) return end;
  at = skipSpace(at + 1, end);
  for (let count: i64 = 0; at < end && load<u8>(at) != OBJECT_END && load<u8>(at) != ARRAY_END; count++) {
    let found = count == index;
    if (first == OBJECT) {
      if (load<u8>(at) != QUOTE) return end;
      const stop = skipString(at, end);
      found = isName(at, stop, name, length, spare);
      at = skipSpace(stop, end);
      if (at >= end || load<u8>(at) != COLON) return end;
      at = skipSpace(at + 1, end);
      if (at >= end) return end;
    }
    if (found) return at;
    const next = skipSpace(skipValue(at, end), end);
    if (next >= end || load<u8>(next) != COMMA) return end;
    at = skipSpace(next + 1, end);
  }
  return end;
}

/** Whether the string [at, stop), the last that `skipString` passed, stands for the name. */
function isName(at: u32, stop: u32, name: usize, length: u32, spare: u32): bool {
  let begin = at + 1;
  let size = stop - at - 2;
  if (escaped) {
    begin = spare;
    size = copyString(at, stop, spare) - spare;
  }
  return size == length && memory.compare(begin, name, length) == 0;
}

/** The index that a name stands for; -1 if it is not a number. */
function indexOf(name: usize, length: u32): i64 {
  if (length == 0 || length > 15) return -1;
  let value: i64 = 0;
  for (let i: u32 = 0; i < length; i++) {
    const digit = load<u8>(name + i) - 48;
    if (digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Copies the text that the string at `at` stands for to `to`; returns the copy's end.
 * No copy is longer than the string.
 */
function copyString(at: u32, end: u32, to: u32): u32 {
  for (at++; at < end; at++) {
    const byte = load<u8>(at);
    if (byte == QUOTE) return to;
    if (byte != BACKSLASH) {
      store<u8>(to++, byte);
      continue;
    }
    if (++at >= end) return to;
    const escape = load<u8>(at);
    const unit = escape == LETTER_U ? hexAt(at + 1) : -1;
    if (unit < 0) {
      store<u8>(to++, plainOf(escape));
      continue;
    }
    at += 4;
    if (unit >> 11 != 0xd800 >> 11) {
      to = putUtf8(<u32>unit, to);
      continue;
    }
    // A surrogate pair is one character.
    const isFirst = unit < 0xdc00 && at + 2 < end && load<u8>(at + 1) == BACKSLASH && load<u8>(at + 2) == LETTER_U;
    const second = isFirst ? hexAt(at + 3) : -1;
    if (second >> 10 == 0xdc00 >> 10) {
      to = putUtf8(0x10000 + ((<u32>unit & 0x3ff) << 10) + (<u32>second & 0x3ff), to);
      at += 6;
    } else to = putUtf8(REPLACEMENT, to);
  }
  return to;
}

/**
 * The four hexadecimal digits at `at` as a number; else -1.
 * Quotes and delimiters, which end strings and lines, are not digits.
 */
function hexAt(at: u32): i32 {
  let value: u32 = 0;
  for (let i: u32 = 0; i < 4; i++) {
    const byte = <u32>load<u8>(at + i);
    const letter = (byte | 32) - 97;
    if (byte - 48 < 10) value = value * 16 + byte - 48;
    else if (letter < 6) value = value * 16 + letter + 10;
    else return -1;
  }
  return <i32>value;
}

/** The byte that an escaped letter stands for; any other byte stands for itself. */
function plainOf(escape: u8): u8 {
  switch (escape) {
    case 98: return 8;
    case 102: return 12;
    case 110: return 10;
    case 114: return 13;
    case 116: return 9;
    default: return escape;
  }
}

/** Writes a code point in UTF-8. */
function putUtf8(point: u32, to: u32): u32 {
  if (point < 0x80) store<u8>(to++, <u8>point);
  else if (point < 0x800) {
    store<u8>(to++, <u8>(0xc0 | (point >> 6)));
    store<u8>(to++, <u8>(0x80 | (point & 63)));
  } else {
    if (point < 0x10000) store<u8>(to++, <u8>(0xe0 | (point >> 12)));
    else {
      store<u8>(to++, <u8>(0xf0 | (point >> 18)));
      store<u8>(to++, <u8>(0x80 | ((point >> 12) & 63)));
    }
    store<u8>(to++, <u8>(0x80 | ((point >> 6) & 63)));
    store<u8>(to++, <u8>(0x80 | (point & 63)));
  }
  return to;
}
