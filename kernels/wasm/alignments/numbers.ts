/** Numbers of SAM: whole numbers, and floating-point numbers as strtod reads them and printf's %g writes them. */

const PLUS: u8 = 43;
const MINUS: u8 = 45;
const DOT: u8 = 46;
const ZERO: u8 = 48;

/** What a number saturates at: beyond the range of each field. */
const HUGE: i64 = 1 << 62;
/** Numbers of this many digits fit 63 bits. */
const MOST_DIGITS: u32 = 18;

/** The result of `readWhole`. */
export let whole: i64 = 0;

/** Reads digits after an optional sign, up to another byte; returns where they end, or 0 if there are none. */
// @ts-ignore: decorator
@inline
export function readWhole(at: u32): u32 {
  const sign = load<u8>(at);
  let digits = at + u32(sign == MINUS || sign == PLUS);
  const first = digits;
  let value: i64 = 0;
  for (let digit = <u32>load<u8>(digits) - 48; digit < 10; digit = <u32>load<u8>(++digits) - 48) {
    value = value * 10 + digit;
  }
  if (digits - first > MOST_DIGITS) value = saturated(first, digits);
  whole = sign == MINUS ? -value : value;
  return digits == first ? 0 : digits;
}

/** The value of a long run of digits. */
function saturated(first: u32, end: u32): i64 {
  while (first < end && load<u8>(first) == ZERO) first++;
  if (end - first > MOST_DIGITS) return HUGE;
  let value: i64 = 0;
  for (; first < end; first++) value = value * 10 + (load<u8>(first) - ZERO);
  return value;
}

/** Writes a number in decimal; returns its end. */
// @ts-ignore: decorator
@inline
export function putWhole(value: i64, at: u32): u32 {
  if (value < 0) store<u8>(at++, MINUS);
  let rest = <u64>(value < 0 ? -value : value);
  if (rest < 10) {
    store<u8>(at, <u8>rest + ZERO);
    return at + 1;
  }
  if (rest >> 32 != 0) return putLong(rest, at);
  return putWord(<u32>rest, at);
}

// @ts-ignore: decorator
@inline
function putWord(rest: u32, at: u32): u32 {
  const digits: u32 = rest < 100 ? 2 : rest < 1000 ? 3 : rest < 10000 ? 4 : rest < 100000 ? 5 : rest < 1000000 ? 6
    : rest < 10000000 ? 7 : rest < 100000000 ? 8 : rest < 1000000000 ? 9 : 10;
  for (let i = digits; i > 0; i--) {
    const tenth = rest / 10;
    store<u8>(at + i - 1, <u8>(rest - tenth * 10) + ZERO);
    rest = tenth;
  }
  return at + digits;
}

function putLong(rest: u64, at: u32): u32 {
  let digits: u32 = 0;
  for (let left = rest; left > 0; left /= 10) digits++;
  for (let i = digits; i > 0; i--, rest /= 10) store<u8>(at + i - 1, <u8>(rest % 10) + ZERO);
  return at + digits;
}

/**
 * The host reads a decimal number [at, end) that needs more than 53 bits on the way: the nearest f64, the nearest f32.
 */
// @ts-ignore: decorator
@external("env", "readDecimal")
declare function readDecimal(at: u32, end: u32): f64;
// @ts-ignore: decorator
@external("env", "readNearest")
declare function readNearest(at: u32, end: u32): f64;

/** The host writes a positive finite number as %g does, at `at`; returns its end. */
// @ts-ignore: decorator
@external("env", "putDecimal")
declare function putDecimal(value: f64, at: u32): u32;

/** Powers of ten that f64 has exactly. */
const POWERS = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]);
const MOST_POWER: i32 = 22;
/** Whole numbers of this many digits are exact in f64. */
const EXACT_DIGITS: u32 = 15;
const NAN: u64 = 0x7ff8000000000000;
const INFINITE: u64 = 0x7ff0000000000000;
const SIGN: u64 = 0x8000000000000000;

/** The result of `readReal`: the bits of an f64. */
export let real: u64 = 0;

/**
 * Reads all of [at, end): a decimal number, `inf` or `nan`; returns false for other text. The value is the nearest f64.
 */
export function readReal(at: u32, end: u32): bool {
  const begin = at;
  const sign = load<u8>(at);
  if (at < end && (sign == MINUS || sign == PLUS)) at++;
  let digits: u32 = 0;
  let seen: u32 = 0;
  let value: u64 = 0;
  let power: i32 = 0;
  let hasDot = false;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    const digit = <u32>byte - 48;
    if (digit < 10) {
      seen++;
      if (digits < EXACT_DIGITS) value = value * 10 + digit;
      digits += u32(digits > 0 || digit > 0);
      power -= i32(hasDot);
    } else if (byte == DOT && !hasDot) hasDot = true;
    else break;
  }
  if (seen == 0) return readWord(begin, end);
  if (at < end) {
    // An exponent: rare, so the host reads it.
    if ((load<u8>(at) | 32) != 101) return false;
    at++;
    if (at < end && (load<u8>(at) == MINUS || load<u8>(at) == PLUS)) at++;
    if (at == end) return false;
    for (; at < end; at++) if (<u32>load<u8>(at) - 48 >= 10) return false;
    real = reinterpret<u64>(readDecimal(begin, end));
    return true;
  }
  if (digits > EXACT_DIGITS || power < -MOST_POWER) {
    real = reinterpret<u64>(readDecimal(begin, end));
    return true;
  }
  // The quotient of two exact numbers is rounded once.
  const magnitude = <f64>value / load<f64>(POWERS + (<usize>-power << 3));
  real = reinterpret<u64>(sign == MINUS ? -magnitude : magnitude);
  return true;
}

/** `inf`, `infinity` or `nan` in either case, after an optional sign. */
function readWord(at: u32, end: u32): bool {
  const sign: u64 = at < end && load<u8>(at) == MINUS ? SIGN : 0;
  if (at < end && (load<u8>(at) == MINUS || load<u8>(at) == PLUS)) at++;
  const bytes = end - at;
  if (bytes != 3 && bytes != 8) return false;
  const three = (load<u32>(at) & 0xffffff) | 0x202020;
  if (bytes == 3 && three == 0x6e616e) {
    real = NAN | sign;
    return true;
  }
  // "inf", and "infinity" as a number of 64 bits.
  if (bytes == 3 ? three != 0x666e69 : (load<u64>(at) | 0x2020202020202020) != 0x7974696e69666e69) return false;
  real = INFINITE | sign;
  return true;
}

/** The least f32 with full precision, as an f64; and the bits of an f64 that f32 lacks, if it is midway between two. */
const LEAST_NORMAL: u64 = 0x3810000000000000;
const LACKING: u64 = 0x1fffffff;
const MIDWAY: u64 = 0x10000000;

/** The result of `readSingle`: the bits of an f32. */
export let single: u32 = 0;

/** The same as readReal for f32. The number is rounded once, as by strtof. */
export function readSingle(at: u32, end: u32): bool {
  if (!readReal(at, end)) return false;
  const magnitude = real & ~SIGN;
  if (magnitude > INFINITE) single = 0x7fc00000 | <u32>(real >> 32 & 0x80000000);
  else if ((real & LACKING) == MIDWAY || (magnitude < LEAST_NORMAL && magnitude != 0)) {
    single = reinterpret<u32>(<f32>readNearest(at, end));
  } else single = reinterpret<u32>(<f32>reinterpret<f64>(real));
  return true;
}

/** Writes the f32 with these bits as %g does; returns its end. */
export function putSingle(bits: u32, at: u32): u32 {
  const magnitude = bits & 0x7fffffff;
  if (bits != magnitude) store<u8>(at++, MINUS);
  if (magnitude >= 0x7f800000) return putWord3(magnitude == 0x7f800000 ? 0x666e69 : 0x6e616e, at);
  if (magnitude == 0) {
    store<u8>(at, ZERO);
    return at + 1;
  }
  const value = <f64>reinterpret<f32>(magnitude);
  if (!(value >= 0.0001 && value <= 999999)) return putDecimal(value, at);
  let decimals: u32 = value < 0.001 ? 9 : value < 0.01 ? 8 : value < 0.1 ? 7 : value < 1 ? 6 : value < 10 ? 5
    : value < 100 ? 4 : value < 1000 ? 3 : value < 10000 ? 2 : value < 100000 ? 1 : 0;
  // 24 bits times at most 10^9, which has 21 significant bits: the product is exact, and a tie is rounded to even.
  let digits = <u32>nearest<f64>(value * load<f64>(POWERS + (<usize>decimals << 3)));
  for (; decimals > 0 && digits % 10 == 0; decimals--) digits /= 10;
  if (decimals == 0) return putWhole(digits, at);
  const power = <u32>load<f64>(POWERS + (<usize>decimals << 3));
  at = putWhole(digits / power, at);
  store<u8>(at++, DOT);
  let fraction = digits % power;
  for (let i = decimals; i > 0; i--, fraction /= 10) store<u8>(at + i - 1, <u8>(fraction % 10) + ZERO);
  return at + decimals;
}

/** Writes the f64 with these bits as %g does; returns its end. */
export function putDouble(bits: u64, at: u32): u32 {
  const magnitude = bits & ~SIGN;
  if (bits != magnitude) store<u8>(at++, MINUS);
  if (magnitude >= INFINITE) return putWord3(magnitude == INFINITE ? 0x666e69 : 0x6e616e, at);
  if (magnitude != 0) return putDecimal(reinterpret<f64>(magnitude), at);
  store<u8>(at, ZERO);
  return at + 1;
}

/** Writes three letters. */
function putWord3(letters: u32, at: u32): u32 {
  store<u32>(at, letters);
  return at + 3;
}
