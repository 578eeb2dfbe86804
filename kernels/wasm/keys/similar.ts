/**
 * `similar`: brings overlapping sequences close together, because they then compress well. Among all words of K bases
 * in a sequence and in its reverse complement, the one with the smallest hash represents it (minimizers: Roberts et
 * al., 2004; MinHash: Broder, 1997). Bases are A, C, G and T in either case; other bytes break words.
 *
 * The row is the hash in six digits, the strand of the word, and its place. A sequence without a word sorts last, by
 * its first bytes.
 */
import { BASE, put, putNumber } from '../shared/digits';
import { putText } from './text';

/** Bases of a word, two bits each. */
const K: u32 = 21;
const MASK: u64 = (1 << (2 * <u64>K)) - 1;
/** The place of a base that enters a reverse complement. */
const TOP: u64 = 2 * <u64>K - 2;
/** A hash is a permutation of words, in which repeats of one base are not the smallest. */
const SALT: u64 = 0x2d358dccaa6;
const MULTIPLIER: u64 = 0x9e3779b97f4a7c15;

/** The first digit of sequences without a word; hashes begin with less. */
const NO_WORD: u32 = 5;
/** This many bytes of them count. */
const FIRST_BYTES: u32 = 16;
/** Places from here take four more digits. */
const FAR: u32 = 254;

/** For each byte the code of its base; a complement has the other upper bit. NO_BASE: it is not a base. */
const NO_BASE: u8 = 4;
const codes: usize = memory.data(256);
memory.fill(codes, NO_BASE, 256);
setCode(65, 0);
setCode(67, 1);
setCode(84, 2);
setCode(71, 3);

function setCode(letter: usize, code: u8): void {
  store<u8>(codes + letter, code);
  store<u8>(codes + letter + 32, code);
}

/** Writes the row of the sequence [at, end). */
export function putSimilar(at: u32, end: u32): void {
  let least: u64 = u64.MAX_VALUE;
  let leastEnd: u32 = 0;
  let isReverse = false;
  const begin = at;
  while (end - at >= K) {
    let word: u64 = 0;
    let complement: u64 = 0;
    const full = at + K - 1;
    for (; at < end; at++) {
      const code = load<u8>(codes + <usize>load<u8>(at));
      if (code == NO_BASE) break;
      word = (word << 2 | <u64>code) & MASK;
      complement = complement >> 2 | <u64>(code ^ 2) << TOP;
      if (at < full) continue;
      const hash = hashOf(min(word, complement));
      if (hash < least) {
        least = hash;
        leastEnd = at;
        isReverse = complement < word;
      }
    }
    // The byte that is no base, or the end.
    at++;
    if (at >= end) break;
  }
  if (leastEnd == 0) {
    put(NO_WORD);
    putText(begin, min(end, begin + FIRST_BYTES), false);
    return;
  }
  const high = <u32>(least / (BASE * BASE * BASE));
  const low = <u32>(least - <u64>high * (BASE * BASE * BASE));
  put(high / (BASE * BASE));
  put(high / BASE % BASE);
  put(high % BASE);
  put(low / (BASE * BASE));
  put(low / BASE % BASE);
  put(low % BASE);
  // Overlapping sequences in the order of their places in the whole: those in which the word is farther right first.
  const place = isReverse ? leastEnd - begin : end - 1 - leastEnd;
  put(u32(isReverse));
  if (place < FAR) put(place);
  else {
    put(FAR);
    putNumber(place);
  }
}

// @ts-ignore: decorator
@inline
function hashOf(word: u64): u64 {
  word ^= SALT;
  word = (word ^ word >> 19) * MULTIPLIER & MASK;
  return word ^ word >> 21;
}
