/**
 * Keys to sort: the five distributions of Cederman and Tsigas (2008, section 4) and others on which sorts differ. Seeded.
 */
import { random } from '../support/random.js';

/** The i-th of n numbers of 32 bits, in the order in which they are made. */
type Make = (n: number, next: () => number) => (i: number) => number;

const LARGEST = 2 ** 32;
const word = (share: number): number => Math.min(LARGEST - 1, Math.floor(share * LARGEST)) >>> 0;

/** How many parts bucket and staggered have: the paper takes the number of processors, whose p blocks of n / p keys differ. */
const PARTS = 16;

export const DISTRIBUTIONS = {
  uniform: (_, next) => () => word(next()),
  /** All of one value. */
  zero: (_, next) => { const value = word(next()); return () => value; },
  /** Parts of the input, each of whose PARTS blocks is uniform in a PARTS-th of the range, in order. */
  bucket: (n, next) => (i) => word((Math.floor((i * PARTS * PARTS) / n) % PARTS + next()) / PARTS),
  /** The mean of four. */
  gaussian: (_, next) => () => word((next() + next() + next() + next()) / 4),
  /** Part p uniform in the (2p + 1)-th range, those of the upper half in the (2p - PARTS)-th. */
  staggered: (n, next) => (i) => {
    const part = Math.floor((i * PARTS) / n);
    return word(((part < PARTS / 2 ? 2 * part + 1 : 2 * part - PARTS) + next()) / PARTS);
  },
  sorted: (n) => (i) => word(i / n),
  reversed: (n) => (i) => word((n - 1 - i) / n),
  sixteen: (_, next) => () => word(Math.floor(next() * 16) / 16 + 0.01),
  zipf: (n, next) => () => Math.floor(Math.exp(next() * Math.log(n + 1))),
  /** Up, then down. */
  organPipe: (n) => (i) => word(Math.min(i, n - 1 - i) / n),
  /** In order but for keys up to 64 places from home. */
  nearSorted: (n, next) => (i) => word((i + Math.floor(next() * 64)) / (n + 64)),
  /** The last of one value out of two: bits that hardly differ. */
  twoValues: (_, next) => () => (next() < 0.5 ? 0x7fffffff : 0x80000000),
} as const satisfies Record<string, Make>;

export type Distribution = keyof typeof DISTRIBUTIONS;
export const DISTRIBUTION_NAMES = Object.keys(DISTRIBUTIONS) as Distribution[];

/**
 * n keys of `words` words each (the low word first). What the distribution makes is the high word and the ones below are of few
 * values, or, for odd seeds, it is the low word and the ones above are the same throughout: so all words matter.
 */
export function makeKeys(distribution: Distribution, n: number, words: number, seed: number): Uint32Array {
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
