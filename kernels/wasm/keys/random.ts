/**
 * -R: a shuffle determined by a seed, which keeps equal keys together: by MD5 (RFC 1321) of the seed's bytes and the
 * part's. The row is the digest. If digests are equal, GNU sort compares the parts' bytes. Here such parts are equal,
 * which takes an MD5 collision.
 */
import { LANES, putBytes } from '../shared/digits';

/**
 * Bytes digested at once; the offset in them of the text, after the seed; the offset of the length in the last block.
 */
const BLOCK: u32 = 64;
const BEHIND_SEED: u32 = 16;
const LENGTH: u32 = 56;
/** The byte that follows the text: a 1 bit. */
const MARK: u8 = 128;

/** Added in each step: the first 32 bits after the point of |sin 1|, |sin 2| ... */
const sines: usize = memory.data<u32>([
  0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
  0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
  0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
  0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
  0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
  0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
  0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
  0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
]);

/** The first bytes of every digested text. */
let seed: v128 = i64x2.splat(0);
/** For blocks that are not contiguous in the text. */
const block: usize = memory.data(64, 16);

let stateA: u32 = 0;
let stateB: u32 = 0;
let stateC: u32 = 0;
let stateD: u32 = 0;

/** Takes the 16 bytes at `at` as the seed. */
export function setSeed(at: u32): void { seed = v128.load(at); }

/** Writes the row of [at, end). */
export function putRandom(at: u32, end: u32): void {
  stateA = 0x67452301;
  stateB = 0xefcdab89;
  stateC = 0x98badcfe;
  stateD = 0x10325476;
  const bits = <u64>(BEHIND_SEED + end - at) << 3;
  v128.store(block, seed);
  let next = fillBlock(BEHIND_SEED, at, end);
  while (next <= end) {
    digest(block);
    for (; end - next >= BLOCK; next += BLOCK) digest(next);
    next = fillBlock(0, next, end);
  }
  // The block contains the mark. If the length does not fit after it, one more block is needed.
  if (next - end <= BLOCK - LENGTH) {
    digest(block);
    memory.fill(block, 0, BLOCK);
  }
  store<u64>(block, bits, LENGTH);
  digest(block);
  putBytes(i32x4(stateA, stateB, stateC, stateD), 16);
}

/**
 * Fills the block from byte `to` with [at, end), the mark and zeros. Returns the end of the bytes that fitted; if it is
 * after `end`, the mark fitted too.
 */
function fillBlock(to: u32, at: u32, end: u32): u32 {
  for (; to < BLOCK; to += 16) {
    const left = <i32>(end - at);
    let bytes = i64x2.splat(0);
    if (left >= 16) bytes = v128.load(at);
    else if (left >= 0) {
      const marked = v128.bitselect(v128.load(at), i8x16.splat(MARK), i8x16.lt_u(LANES, i8x16.splat(<i8>left)));
      bytes = v128.and(marked, i8x16.le_u(LANES, i8x16.splat(<i8>left)));
    }
    v128.store(block + to, bytes);
    at += 16;
  }
  return at;
}

/** Mixes the 64 bytes at `words` into the state: four rounds of 16 steps. */
function digest(words: usize): void {
  let a = stateA;
  let b = stateB;
  let c = stateC;
  let d = stateD;
  for (let i: usize = 0; i < 16; i += 4) {
    a = step(a, b, d ^ (b & (c ^ d)), words, i, i, 7);
    d = step(d, a, c ^ (a & (b ^ c)), words, i + 1, i + 1, 12);
    c = step(c, d, b ^ (d & (a ^ b)), words, i + 2, i + 2, 17);
    b = step(b, c, a ^ (c & (d ^ a)), words, i + 3, i + 3, 22);
  }
  for (let i: usize = 16; i < 32; i += 4) {
    a = step(a, b, (b & d) | (c & ~d), words, 5 * i + 1, i, 5);
    d = step(d, a, (a & c) | (b & ~c), words, 5 * i + 6, i + 1, 9);
    c = step(c, d, (d & b) | (a & ~b), words, 5 * i + 11, i + 2, 14);
    b = step(b, c, (c & a) | (d & ~a), words, 5 * i + 16, i + 3, 20);
  }
  for (let i: usize = 32; i < 48; i += 4) {
    a = step(a, b, b ^ (c ^ d), words, 3 * i + 5, i, 4);
    d = step(d, a, a ^ (b ^ c), words, 3 * i + 8, i + 1, 11);
    c = step(c, d, d ^ (a ^ b), words, 3 * i + 11, i + 2, 16);
    b = step(b, c, c ^ (d ^ a), words, 3 * i + 14, i + 3, 23);
  }
  for (let i: usize = 48; i < 64; i += 4) {
    a = step(a, b, c ^ (b | ~d), words, 7 * i, i, 6);
    d = step(d, a, b ^ (a | ~c), words, 7 * i + 7, i + 1, 10);
    c = step(c, d, a ^ (d | ~b), words, 7 * i + 14, i + 2, 15);
    b = step(b, c, d ^ (c | ~a), words, 7 * i + 21, i + 3, 21);
  }
  stateA += a;
  stateB += b;
  stateC += c;
  stateD += d;
}

/**
 * One step: adds `word` of the block, modulo 16, and the step's sine to `sum`, then `mixed`; rotates by `bits`; adds
 * `next`. The previous step computed `next`; only `mixed` has to wait for it.
 */
// @ts-ignore: decorator
@inline
function step(sum: u32, next: u32, mixed: u32, words: usize, word: usize, sine: usize, bits: u32): u32 {
  return next + rotl<u32>(sum + load<u32>(words + ((word & 15) << 2)) + load<u32>(sines + (sine << 2)) + mixed, bits);
}
