/**
 * `minimiser`: as `samtools sort -M` (1.23) orders records without a contig: by the smallest hash of 20 bases in either
 * strand, then by the place of these bases, then by strand. Records with a contig are ordered by position and strand. A
 * part before this one orders contigs.
 *
 * The row is the hash in six digits, the place in three, and the strand; or the position in five digits and the strand.
 */
import { areBasesPacked, basesBegin, basesCount, contig, flag, nameBegin, NONE, position } from './alignment';
import { BASE, put, putNumber } from '../shared/digits';
import { putStrand } from './flag';
import { putInteger } from './integer';

const K: u32 = 20;
const MASK: u64 = (1 << (2 * <u64>K)) - 1;
const TOP: u64 = 2 * <u64>K - 2;
const SALT: u64 = 0xdead7878beef7878 & MASK;
const REVERSE: u32 = 16;
/** Places from here on are equal. The last digit before this is for reads without a word, whose place is negative. */
const FAR: i32 = 65535;
const LEAST: i32 = 1 - <i32>K;

/** The codes of bases, two bits each; other letters count as A, but not as its complement. */
const A: u8 = 65, C: u8 = 67, G: u8 = 71, T: u8 = 84, U: u8 = 85;
const OTHER: u32 = 4;

/** Writes the row of the record that alignment.ts has read. */
export function putMinimiser(): void {
  if (contig != NONE) {
    putInteger(position, nameBegin, nameBegin);
    putStrand(flag);
    return;
  }
  let forward: u64 = 0, backward: u64 = 0;
  let least = u64.MAX_VALUE, leastBackward = u64.MAX_VALUE;
  let place: i32 = 0, placeBackward: i32 = 0;
  for (let i: u32 = 0; i < basesCount; i++) {
    const code = codeAt(i);
    forward = (forward << 2 | <u64>(code & 3)) & MASK;
    backward = backward >> 2 | (code == OTHER ? 0 : <u64>(code ^ 3)) << TOP;
    if (i < K - 1) continue;
    if ((forward ^ SALT) < least) {
      least = forward ^ SALT;
      place = <i32>i;
    }
    if ((backward ^ SALT) < leastBackward) {
      leastBackward = backward ^ SALT;
      placeBackward = <i32>(basesCount - i + K - 2);
    }
  }
  const isBackward = leastBackward < least;
  putHash(isBackward ? leastBackward : least);
  const from = min((isBackward ? placeBackward : place) + LEAST, FAR);
  const digits = <u32>(from - LEAST);
  put(digits / (BASE * BASE));
  put(digits / BASE % BASE);
  put(digits % BASE);
  putStrand(isBackward ? flag ^ REVERSE : flag);
}

/** Reads without a word of K bases have the largest number, and sort first. */
function putHash(hash: u64): void {
  const number = hash + 1;
  const high = <u32>(number / (BASE * BASE * BASE * BASE));
  put(high / BASE);
  put(high % BASE);
  putNumber(<u32>(number % (BASE * BASE * BASE * BASE)));
}

/** The code of base number `i`: A 0, C 1, G 2, T 3, or OTHER. */
// @ts-ignore: decorator
@inline
function codeAt(i: u32): u32 {
  if (areBasesPacked) {
    const pair = load<u8>(basesBegin + (i >> 1));
    switch (<u32>((i & 1) == 0 ? pair >> 4 : pair & 15)) {
      case 1: return 0;
      case 2: return 1;
      case 4: return 2;
      case 8: return 3;
      default: return OTHER;
    }
  }
  switch (load<u8>(basesBegin + i) & 0xdf) {
    case A: return 0;
    case C: return 1;
    case G: return 2;
    case T:
    case U: return 3;
    default: return OTHER;
  }
}
