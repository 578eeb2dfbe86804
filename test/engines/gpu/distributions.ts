/**
 * Keys to sort: the five distributions of Cederman and Tsigas (2008, section 5.3), and others that sorts handle
 * differently. Seeded.
 */
import { random, randomBelow } from '../../support/random.js';

/** Returns a function from i to the i-th of n 32-bit numbers. Calls must be in order of i. */
type Make = (n: number, next: () => number) => (i: number) => number;

const LARGEST = 2 ** 32;
const word = (share: number): number => Math.min(LARGEST - 1, Math.floor(share * LARGEST)) >>> 0;

/**
 * The number of parts in bucket and staggered. The paper uses the number of processors p, with blocks of n / p keys.
 */
const PARTS = 16;

const DISTRIBUTIONS = {
  uniform: (_, next) => () => word(next()),
  /** One value throughout. */
  zero: (_, next) => {
    const value = word(next());
    return () => value;
  },
  /** PARTS parts, each of PARTS blocks. Block b of a part is uniform in the b-th of PARTS equal ranges of values. */
  bucket: (n, next) => (i) => word(((Math.floor((i * PARTS * PARTS) / n) % PARTS) + next()) / PARTS),
  /** The mean of four uniform numbers. */
  gaussian: (_, next) => () => word((next() + next() + next() + next()) / 4),
  /** In the lower half, part p is uniform in range 2p + 1; in the upper half, in range 2p - PARTS. */
  staggered: (n, next) => (i) => {
    const part = Math.floor((i * PARTS) / n);
    return word(((part < PARTS / 2 ? 2 * part + 1 : 2 * part - PARTS) + next()) / PARTS);
  },
  sorted: (n) => (i) => word(i / n),
  reversed: (n) => (i) => word((n - 1 - i) / n),
  sixteen: (_, next) => () => word(Math.floor(next() * 16) / 16 + 0.01),
  zipf: (n, next) => () => Math.floor(Math.exp(next() * Math.log(n + 1))),
  /** Ascending, then descending. */
  organPipe: (n) => (i) => word(Math.min(i, n - 1 - i) / n),
  /** Sorted, except that keys are up to 64 places from their sorted positions. */
  nearSorted: (n, next) => (i) => word((i + Math.floor(next() * 64)) / (n + 64)),
  /** The largest key of the lower half or the smallest of the upper half; all their bits differ. */
  twoValues: (_, next) => () => (next() < 0.5 ? 0x7fffffff : 0x80000000),
} as const satisfies Record<string, Make>;

export type Distribution = keyof typeof DISTRIBUTIONS | 'extremes';
export const DISTRIBUTION_NAMES = [...Object.keys(DISTRIBUTIONS), 'extremes'] as Distribution[];

/**
 * n keys of `words` words each, low word first. For even seeds the high word has the distribution, and the lower words
 * have one of three values. For odd seeds the low word has the distribution, and the others are constant. So all words
 * matter.
 */
export function makeKeys(distribution: Distribution, n: number, words: number, seed: number): Uint32Array {
  if (distribution === 'extremes') return extremes(n, words, seed);
  const next = random(seed);
  const make = DISTRIBUTIONS[distribution](Math.max(n, 1), next);
  const keys = new Uint32Array(n * words);
  const high = seed % 2 === 0;
  for (let i = 0; i < n; i++) {
    for (let w = 0; w < words; w++) keys[i * words + w] = high ? Math.floor(next() * 3) * 0x55555555 : 0x12345678;
    keys[i * words + (high ? words - 1 : 0)] = make(i);
  }
  return keys;
}

/** Many equal keys, the least and the greatest ones of all types, zeros, infinities and NaNs of both signs. */
function extremes(n: number, words: number, seed: number): Uint32Array {
  const next = randomBelow(seed);
  const keys = Uint32Array.from({ length: n * words }, () => (next(4) === 0 ? next(3) : next(LARGEST)));
  for (let i = 0; i < n; i++) {
    if (next(3) > 0) continue;
    const key = keys.subarray(i * words, (i + 1) * words);
    key.fill([0, 0xffffffff][next(2)]);
    // Of one word: 0, -0, 1, -1, Infinity, -Infinity, NaN, -NaN.
    key[words - 1] = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff][next(8)];
  }
  return keys;
}
