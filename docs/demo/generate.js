/**
 * Generated keys: the same type, kind, number and seed always give the same keys.
 */
import { KEY_TYPES } from './keys.js';

/** Distinct keys of `few`, and the most that `zipf` draws from. */
const FEW = 16;
const ZIPF_RANKS = 2 ** 20;
/** One key in so many of `nearly` is exchanged with a random one. */
const EXCHANGED = 100;

export const KINDS = {
  uniform: 'uniform',
  sorted: 'sorted',
  nearly: 'nearly sorted (1 % exchanged)',
  few: `${FEW} distinct keys`,
  zipf: 'Zipf (few keys are most)',
};

/** Makes a function that returns 32 random bits. The generator is SplitMix32. */
export function randomWords(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    return scramble(state);
  };
}

/** A one-to-one map of 32-bit words in which neighbors get far apart. */
function scramble(word) {
  let x = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** `count` keys of `type` as its typed array. Floating-point keys lie in [-1, 1). */
export function generateKeys({ type, kind, count, seed = 1 }) {
  const keys = new KEY_TYPES[type].Keys(count);
  const store = STORE[type](keys);
  const random = randomWords(seed);
  const pick = Object.hasOwn(PICK, kind) ? PICK[kind](random, count) : random;
  // The low words of equal keys are equal too.
  for (let i = 0; i < count; i++) {
    const high = pick(i);
    store(i, high, kind === 'uniform' ? random() : scramble(high));
  }
  if (kind === 'nearly') {
    for (let n = Math.floor(count / EXCHANGED); n > 0; n--) {
      const [i, j] = [random() % count, random() % count];
      [keys[i], keys[j]] = [keys[j], keys[i]];
    }
  }
  return keys;
}

const spread = (_random, count) => (i) => Math.floor((i / count) * 2 ** 32);

/** The high word of key i. */
const PICK = {
  sorted: spread,
  nearly: spread,
  few: (random) => {
    const values = Array.from({ length: FEW }, random);
    return () => values[random() % FEW];
  },
  // Ranks with density 1 / rank, by the inverse of their distribution.
  zipf: (random) => () => scramble(Math.floor(ZIPF_RANKS ** (random() / 2 ** 32))),
};

const words = (keys) => new Uint32Array(keys.buffer);
const storeWide = (keys, flip) => {
  const out = words(keys);
  return (i, high, low) => {
    out[2 * i] = low;
    out[2 * i + 1] = high ^ flip;
  };
};

/** Stores a key whose order is that of (high, low). */
const STORE = {
  u32: (keys) => (i, high) => (keys[i] = high),
  i32: (keys) => (i, high) => (keys[i] = high ^ 0x80000000),
  f32: (keys) => (i, high) => (keys[i] = (high >>> 8) / 2 ** 23 - 1),
  u64: (keys) => storeWide(keys, 0),
  i64: (keys) => storeWide(keys, 0x80000000),
  f64: (keys) => (i, high, low) => (keys[i] = (high * 2 ** 21 + (low >>> 11)) / 2 ** 52 - 1),
};
