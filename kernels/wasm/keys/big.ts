/**
 * Big integers: a length in 32 bits, then that many limbs of 32 bits, the lowest first, the highest not 0. There are
 * two, at fixed addresses, large enough for the divisions of decimal.ts.
 */

/** The capacity in limbs; decimal.ts states the largest numbers. */
const LIMBS: i32 = 1216;
export const A: usize = memory.data(4 + 4 * LIMBS);
export const B: usize = memory.data(4 + 4 * LIMBS);

/** The largest power of five in a limb. */
const FIVES: i32 = 13;
const FIVE_TO_13: u32 = 1220703125;

// @ts-ignore: decorator
@inline
function length(big: usize): i32 { return load<i32>(big); }

// @ts-ignore: decorator
@inline
function limb(big: usize, index: i32): u32 { return load<u32>(big + (<usize>index << 2), 4); }

// @ts-ignore: decorator
@inline
function setLimb(big: usize, index: i32, value: u32): void { store<u32>(big + (<usize>index << 2), value, 4); }

/** Sets the length, without leading zeros. */
function setLength(big: usize, most: i32): void {
  while (most > 0 && limb(big, most - 1) == 0) most--;
  store<i32>(big, most);
}

export function setSmall(big: usize, value: u32): void {
  setLimb(big, 0, value);
  setLength(big, 1);
}

/** big = big * factor + term. */
export function multiplyAdd(big: usize, factor: u32, term: u32): void {
  const count = length(big);
  let carry: u64 = term;
  for (let i = 0; i < count; i++) {
    carry += <u64>limb(big, i) * factor;
    setLimb(big, i, <u32>carry);
    carry >>= 32;
  }
  setLimb(big, count, <u32>carry);
  setLength(big, count + 1);
}

/** big = big * 5^power. */
export function multiplyByFives(big: usize, power: i32): void {
  for (; power >= FIVES; power -= FIVES) multiplyAdd(big, FIVE_TO_13, 0);
  let rest: u32 = 1;
  for (; power > 0; power--) rest *= 5;
  multiplyAdd(big, rest, 0);
}

/** The number of bits of a nonzero number, from the highest 1. */
export function bitLength(big: usize): i32 {
  const top = length(big) - 1;
  return 32 * top + 32 - <i32>clz(limb(big, top));
}

/** big = big * 2^bits, of a nonzero number. */
export function shiftLeft(big: usize, bits: i32): void {
  const limbs = bits >> 5;
  const count = length(big) + limbs + 1;
  for (let i = count - 1; i >= limbs; i--) {
    const pair = <u64>limbOrZero(big, i - limbs) << 32 | limbOrZero(big, i - limbs - 1);
    setLimb(big, i, <u32>(pair >> (32 - (bits & 31))));
  }
  memory.fill(big + 4, 0, <usize>limbs << 2);
  setLength(big, count);
}

/** 64 bits from bit number `bit`, which may be negative; bits outside the number are 0. */
export function bitsAt(big: usize, bit: i32): u64 {
  const index = bit >> 5;
  const shift = <u64>(bit & 31);
  const bits = <u64>limbOrZero(big, index) | <u64>limbOrZero(big, index + 1) << 32;
  return shift == 0 ? bits : bits >> shift | <u64>limbOrZero(big, index + 2) << (64 - shift);
}

function limbOrZero(big: usize, index: i32): u32 { return index >= 0 && index < length(big) ? limb(big, index) : 0; }

/** Whether any bit below number `bit` is 1. */
export function hasBitsBelow(big: usize, bit: i32): bool {
  let index = 0;
  for (; 32 * (index + 1) <= bit; index++) if (limbOrZero(big, index) != 0) return true;
  return 32 * index < bit && limbOrZero(big, index) << (32 - (bit - 32 * index)) != 0;
}

/**
 * Leaves the quotient in `big`; returns whether there is a remainder. The divisor must have at least two limbs and its
 * top bit set; the number must have at least as many limbs. Long division: Knuth, 4.3.1, algorithm D. Digits of the
 * quotient replace the number's limbs, from the top.
 */
export function divide(big: usize, divisor: usize): bool {
  const size = length(divisor);
  const count = length(big);
  const first = <u64>limb(divisor, size - 1);
  const second = <u64>limb(divisor, size - 2);
  setLimb(big, count, 0);
  for (let j = count - size; j >= 0; j--) {
    const top = <u64>limb(big, j + size) << 32 | limb(big, j + size - 1);
    let digit = top / first;
    let rest = top % first;
    while (digit > u32.MAX_VALUE || digit * second > (rest << 32 | limb(big, j + size - 2))) {
      digit--;
      rest += first;
      if (rest > u32.MAX_VALUE) break;
    }
    if (subtract(big, j, divisor, digit)) {
      digit--;
      addBack(big, j, divisor);
    }
    setLimb(big, j + size, <u32>digit);
  }
  store<i32>(big, size);
  const left = hasBitsBelow(big, 32 * size);
  memory.copy(big + 4, big + 4 + (<usize>size << 2), <usize>(count - size + 1) << 2);
  setLength(big, count - size + 1);
  return left;
}

/**
 * Subtracts divisor * digit from the limbs from `from`. Returns whether the result is negative; the limbs then hold it
 * modulo 2^32 to the power of their number.
 */
function subtract(big: usize, from: i32, divisor: usize, digit: u64): bool {
  const size = length(divisor);
  let carry: u64 = 0;
  let borrow: i64 = 0;
  for (let i = 0; i < size; i++) {
    carry += digit * limb(divisor, i);
    borrow += <i64>limb(big, from + i) - <i64>(carry & u32.MAX_VALUE);
    setLimb(big, from + i, <u32>borrow);
    carry >>= 32;
    borrow >>= 32;
  }
  borrow += <i64>limb(big, from + size) - <i64>carry;
  setLimb(big, from + size, <u32>borrow);
  return borrow < 0;
}

function addBack(big: usize, from: i32, divisor: usize): void {
  const size = length(divisor);
  let carry: u64 = 0;
  for (let i = 0; i < size; i++) {
    carry += <u64>limb(big, from + i) + limb(divisor, i);
    setLimb(big, from + i, <u32>carry);
    carry >>= 32;
  }
}
