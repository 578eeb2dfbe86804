/**
 * The tags of SAM lines in the form of BAM. Types are those that htslib chooses: integers take the smallest type that
 * holds them, a signed one if they have a minus sign, even -0. An array whose values do not fit its type gets the
 * smallest that does.
 */
import { readReal, readSingle, readWhole, real, single, whole } from './numbers';
import { BAD_TAG, fail, TAG_RANGE } from './problem';

const TAB: u8 = 9;
const COLON: u8 = 58;
const COMMA: u8 = 44;
const MINUS: u8 = 45;

/** Writes the tags in [at, end), which are separated by tabs; returns their end, or 0 if there is a problem. */
export function putTags(at: u32, end: u32, target: u32): u32 {
  while (at < end) {
    // The name, the type, and the first character of the value: only texts may be empty.
    const type = load<u8>(at, 3);
    const isText = type == 90 || type == 72;
    if (end - at < 5 + u32(!isText) || load<u8>(at) <= 32 || load<u8>(at, 1) <= 32) return bad(at, end);
    if (load<u8>(at, 2) != COLON || load<u8>(at, 4) != COLON) return bad(at, end);
    store<u16>(target, load<u16>(at));
    const value = at + 5;
    let stop: u32;
    if (isText) {
      store<u8>(target, type, 2);
      stop = copyText(value, end, target + 3);
      target += 3 + stop - value;
      if (type == 72 && (stop - value & 1) != 0) return bad(at, end);
      store<u8>(target++, 0);
    } else if (type == 105 || type == 73) {
      stop = readWhole(value);
      if (stop == 0 || (stop < end && load<u8>(stop) != TAB)) return bad(at, end);
      target = putInteger(whole, load<u8>(value) == MINUS, target + 2);
      if (target == 0) return fail(TAG_RANGE, at, fieldEnd(at, end));
    } else {
      stop = fieldEnd(value, end);
      target = putOther(type, value, stop, target + 2);
      if (target == 0) return bad(at, end);
      if (target == OUT_OF_RANGE) return fail(TAG_RANGE, at, stop);
    }
    // A tab at the end of a line begins no tag.
    at = stop + 1;
  }
  return target;
}

function bad(at: u32, end: u32): u32 { return fail(BAD_TAG, at, fieldEnd(at, end)); }

function fieldEnd(at: u32, end: u32): u32 {
  while (at < end && load<u8>(at) != TAB) at++;
  return at;
}

/** Copies the text at `at` up to a tab or to `end`; returns where it ends. */
// @ts-ignore: decorator
@inline
function copyText(at: u32, end: u32, target: u32): u32 {
  const tabs = i8x16.splat(TAB);
  for (; at < end; at += 16, target += 16) {
    const bytes = v128.load(at);
    v128.store(target, bytes);
    const ends = i8x16.bitmask(i8x16.eq(bytes, tabs));
    if (ends != 0) return min(end, at + ctz(ends));
  }
  return end;
}

/** Writes the type and the value; returns their end, or 0 if no type holds it. */
// @ts-ignore: decorator
@inline
function putInteger(value: i64, signed: bool, target: u32): u32 {
  if (value >= -128 && value <= 255) {
    store<u8>(target, signed ? 99 : 67); // c C
    store<u8>(target, <u8>value, 1);
    return target + 2;
  }
  if (value >= -32768 && value <= 65535) {
    store<u8>(target, signed ? 115 : 83); // s S
    store<u16>(target, <u16>value, 1);
    return target + 3;
  }
  if (value < -2147483648 || value > 4294967295) return 0;
  store<u8>(target, signed ? 105 : 73); // i I
  store<u32>(target, <u32>value, 1);
  return target + 5;
}

/** Instead of an address: the values of an array need more than 32 bits. */
const OUT_OF_RANGE: u32 = 1;

/**
 * Writes the type and the value [at, end) of a letter, a floating-point number or an array; returns 0 for other types.
 */
function putOther(type: u8, at: u32, end: u32, target: u32): u32 {
  switch (type) {
    case 65: case 97: case 99: case 67: // A; htslib reads a, c and C as letters, too
      if (end - at != 1) return 0;
      store<u8>(target, 65);
      store<u8>(target, load<u8>(at), 1);
      return target + 2;
    case 102: // f
      if (!readSingle(at, end)) return 0;
      store<u8>(target, type);
      store<u32>(target, single, 1);
      return target + 5;
    case 100: // d, which the specification lacks
      if (!readReal(at, end)) return 0;
      store<u8>(target, type);
      store<u64>(target, real, 1);
      return target + 9;
    case 66: // B
      return putArray(at, end, target);
    default:
      return 0;
  }
}

/** The least and the largest value of an array. */
let least: i64 = 0;
let largest: i64 = 0;

/** Writes the array whose type is at `at`, followed by its values; returns its end, 0 or OUT_OF_RANGE. */
function putArray(at: u32, end: u32, target: u32): u32 {
  const type = load<u8>(at++);
  store<u8>(target, 66);
  store<u8>(target, type, 1);
  const values = target + 6;
  let next: u32;
  if (type == 102) next = putReals(at, end, values);
  else {
    const size = sizeOf(type);
    if (size == 0) return 0;
    next = putIntegers(at, end, values, size);
    if (next != 0 && !holds(type, least, largest)) {
      const better = typeFor(least, largest);
      if (better == 0) return OUT_OF_RANGE;
      store<u8>(target, better, 1);
      next = putIntegers(at, end, values, sizeOf(better));
    }
  }
  if (next == 0) return 0;
  store<u32>(target, (next - values) / (type == 102 ? 4 : sizeOf(load<u8>(target, 1))), 2);
  return next;
}

/** Writes the numbers after commas in [at, end); returns their end, or 0 if one is malformed. */
function putReals(at: u32, end: u32, target: u32): u32 {
  while (at < end) {
    if (load<u8>(at++) != COMMA) return 0;
    let stop = at;
    while (stop < end && load<u8>(stop) != COMMA) stop++;
    if (!readSingle(at, stop)) return 0;
    store<u32>(target, single);
    target += 4;
    at = stop;
  }
  return target;
}

function putIntegers(at: u32, end: u32, target: u32, size: u32): u32 {
  least = largest = 0;
  while (at < end) {
    if (load<u8>(at) != COMMA) return 0;
    at = readWhole(at + 1);
    if (at == 0) return 0;
    least = min(least, whole);
    largest = max(largest, whole);
    if (size == 1) store<u8>(target, <u8>whole);
    else if (size == 2) store<u16>(target, <u16>whole);
    else store<u32>(target, <u32>whole);
    target += size;
  }
  return target;
}

function sizeOf(type: u8): u32 {
  return type == 99 || type == 67 ? 1 : type == 115 || type == 83 ? 2 : type == 105 || type == 73 ? 4 : 0;
}

function holds(type: u8, from: i64, to: i64): bool {
  const bits = 8 * <i64>sizeOf(type);
  // Lowercase types are signed.
  if (type > 96) return from >= -(<i64>1 << (bits - 1)) && to < <i64>1 << (bits - 1);
  return from >= 0 && to < <i64>1 << bits;
}

/** The type for values that do not fit the given one; 0: none holds them. Bytes of 255 become 16 bits, as in htslib. */
function typeFor(from: i64, to: i64): u8 {
  if (from < 0) return holds(99, from, to) ? 99 : holds(115, from, to) ? 115 : holds(105, from, to) ? 105 : 0;
  return to < 255 ? 67 : holds(83, from, to) ? 83 : holds(73, from, to) ? 73 : 0;
}
