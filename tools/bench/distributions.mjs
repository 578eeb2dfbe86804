/**
 * Distributions of numbers for the binary benchmark files: the six on which Cederman and Tsigas time GPU-Quicksort
 * (section 5.3), over all 32 bits instead of 31, and three more. A distribution gives the first words of codes, which
 * compare as unsigned numbers; numbers.mjs makes numbers of all types from them.
 */
import { fillRandom } from './random.mjs';

/** Blocks of `bucket` and `staggered`, and sections of a block: the p of the paper. */
const PARTS = 128;
/** A number in `part` of PARTS equal parts of the range, `random` within it. */
const inPart = (part, random) => ((part << 25) | (random >>> 7)) >>> 0;
/** `near256`: each number is less than this many places from its sorted place. */
const NEAR_PLACES = 256;
const WHOLE = 2 ** 32;
const CONSTANT = 0x6d2b79f5;

/**
 * Each entry makes the code at place `i` of `n` from random words. `draws`: how many (default 1). `repeats`: the words
 * after the first are constant, so that equal first words are equal numbers. `exact`: they are the code's fraction.
 * @type {Record<string, { code: (i: number, n: number, random: Uint32Array, at: number) => number, draws?: number,
 *   repeats?: boolean, exact?: boolean }>}
 */
const DISTRIBUTIONS = {
  uniform: { code: (_i, _n, random, at) => random[at] },
  sorted: { code: (i, n, random, at) => (i + random[at] / WHOLE) * (WHOLE / n), exact: true },
  zero: { code: () => CONSTANT, repeats: true },
  bucket: { code: (i, n, random, at) => inPart(Math.floor((i * PARTS * PARTS) / n) % PARTS, random[at]) },
  gaussian: {
    code: (_i, _n, random, at) => (random[at] + random[at + 1] + random[at + 2] + random[at + 3]) / 4,
    draws: 4,
  },
  staggered: {
    code(i, n, random, at) {
      const block = Math.min(PARTS - 1, Math.floor((i * PARTS) / n));
      return inPart(block < PARTS / 2 ? 2 * block + 1 : 2 * block - PARTS, random[at]);
    },
  },
  reversed: { code: (i, n, random, at) => (n - 1 - i + random[at] / WHOLE) * (WHOLE / n), exact: true },
  near256: {
    code: (i, n, random, at) => (i + (random[at] / WHOLE) * NEAR_PLACES) * (WHOLE / (n + NEAR_PLACES)),
    exact: true,
  },
  sixteen: { code: (_i, _n, random, at) => ((random[at] & 0xf0000000) | 0x01234567) >>> 0, repeats: true },
};

export const DISTRIBUTION_NAMES = Object.keys(DISTRIBUTIONS);

/**
 * Makes codes of `words` words each, for `total` numbers in all.
 * @param {string} distribution
 * @param {number} words
 * @param {number} total
 * @param {number} most the largest number of codes of one call
 * @returns {(first: number, count: number, state: number) => { state: number, codes: Uint32Array[] }} makes the codes
 *   at the places from `first` on: an array for each word, the highest first. The next call overwrites them
 */
export function codesOf(distribution, words, total, most) {
  const { code, draws = 1, repeats = false, exact = false } = DISTRIBUTIONS[distribution];
  const random = new Uint32Array(draws * most);
  const codes = Array.from({ length: words }, () => new Uint32Array(most).fill(CONSTANT));
  const [high, low] = codes;
  return (first, count, state) => {
    state = fillRandom(random, state);
    for (let i = 0; i < count; i++) high[i] = code(first + i, total, random, draws * i);
    if (repeats || low === undefined) return { state, codes };
    if (exact) for (let i = 0; i < count; i++) low[i] = (code(first + i, total, random, draws * i) - high[i]) * WHOLE;
    for (const word of codes.slice(exact ? 2 : 1)) state = fillRandom(word, state);
    return { state, codes };
  };
}
