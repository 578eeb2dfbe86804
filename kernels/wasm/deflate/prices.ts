/**
 * Estimates what a match saves, in sixteenths of a bit. Literals cost as many bits as the entropy of the block's bytes
 * suggests. A match costs what its codes take in typical blocks of text and of alignments, and its extra bits. Blocks
 * have at most 65,535 bytes.
 */
import { byteCounts, bytePrices, lengthPrices, lengthSlots, priceSums } from './layout';
import { count } from './sequences';
import { FIRST_LENGTH, lengthExtra, LONGEST_MATCH } from './slots';

const BIT: u32 = 16;
/** The sums of 258 such prices fit into 16 bits. */
const MOST_LITERAL: u32 = 15 * BIT;
/** The codes of a length and its distance, without extra bits. Two bits less make files up to 2 % larger. */
const CODES: u32 = 10 * BIT;
/**
 * Matches pay once their literals have this many bits. A hash of as many bytes as have them finds no shorter match in
 * vain.
 */
const REPAID: u32 = 22 * BIT;
const FEWEST_HASHED: u32 = 4;
const MOST_HASHED: u32 = 8;

/** Where the sum of position 0 would lie: u16 for each position of the block, the low bits of the prices before it. */
let sums: usize = 0;

/** Call it once. */
export function fillLengthPrices(): void {
  for (let length = FIRST_LENGTH; length <= LONGEST_MATCH; length++) {
    const slot = <u32>load<u8>(lengthSlots + length);
    store<u32>(lengthPrices + (length << 2), CODES + lengthExtra(slot) * BIT);
  }
}

/** Sets the prices of the literals in [from, to). Returns how many bytes a hash of this text should have. */
export function priceBlock(from: usize, to: usize): u32 {
  countBytes(from, to);
  const all = log2(<u32>(to - from));
  let whole: u32 = 0;
  for (let byte: usize = 0; byte < 256; byte++) {
    const times = load<u32>(byteCounts + (byte << 2)) + load<u32>(byteCounts + ((256 + byte) << 2));
    const price = times == 0 ? 0 : all - log2(times);
    whole += times * price;
    store<u32>(bytePrices + (byte << 2), min(max(price, BIT), MOST_LITERAL));
  }
  sumPrices(from, to);
  const mean = whole / max(<u32>(to - from), 1);
  return mean == 0 ? MOST_HASHED : min(max((REPAID + mean / 2) / mean, FEWEST_HASHED), MOST_HASHED);
}

/** Two tables, because runs of one letter would wait for one counter. */
function countBytes(from: usize, to: usize): void {
  memory.fill(byteCounts, 0, 4 * 512);
  const odd = byteCounts + 4 * 256;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const four = load<u32>(at);
    count(byteCounts, four & 255);
    count(odd, (four >> 8) & 255);
    count(byteCounts, (four >> 16) & 255);
    count(odd, four >> 24);
  }
  for (; at < to; at++) count(byteCounts, load<u8>(at));
}

/** The last sums, up to three, are written past the one of `to`. */
function sumPrices(from: usize, to: usize): void {
  sums = priceSums - (from << 1);
  let sum: u64 = 0;
  for (let at = from; at <= to; at += 4) {
    const four = load<u32>(at);
    const second = sum + priceOf(four & 255);
    const third = second + priceOf((four >> 8) & 255);
    const fourth = third + priceOf((four >> 16) & 255);
    const four64 = (sum & 0xffff) | ((second & 0xffff) << 16) | ((third & 0xffff) << 32) | (fourth << 48);
    store<u64>(sums + (at << 1), four64);
    sum = fourth + priceOf(four >> 24);
  }
}

// @ts-ignore: decorator
@inline
function priceOf(byte: u32): u64 { return load<u32>(bytePrices + (byte << 2)); }

/** log2 in sixteenths, by linear interpolation: at most 1.4 sixteenths too low. */
function log2(n: u32): u32 { return ((31 - clz(n)) << 4) + ((n << clz(n) << 1) >>> 28); }

/** What a match saves over literals: nothing if it is 0 or less. */
// @ts-ignore: decorator
@inline
export function saving(at: usize, length: u32, distance: u32): i32 {
  const literals = (load<u16>(sums + ((at + length) << 1)) - load<u16>(sums + (at << 1))) & 0xffff;
  const extra = 31 - clz(distance);
  return <i32>literals - <i32>(load<u32>(lengthPrices + (length << 2)) + extra * BIT);
}
