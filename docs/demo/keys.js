/**
 * Types of keys, and their order. A key is one or two 32-bit words, the low one first. Its ordered bits are words that
 * compare as unsigned integers in the order that gpusort gives its type: negative NaNs first, -0 before +0, NaNs last.
 */

/** By the name that gpusort/kernels uses. `Keys` is the array whose sort() the page compares with. */
export const KEY_TYPES = {
  u32: { Keys: Uint32Array, label: '32-bit unsigned integers (u32)' },
  i32: { Keys: Int32Array, label: '32-bit signed integers (i32)' },
  f32: { Keys: Float32Array, label: '32-bit floating-point numbers (f32)' },
  u64: { Keys: BigUint64Array, label: '64-bit unsigned integers (u64)' },
  i64: { Keys: BigInt64Array, label: '64-bit signed integers (i64)' },
  f64: { Keys: Float64Array, label: '64-bit floating-point numbers (f64)' },
};

/** Words of one key. */
export function wordsOf(type) {
  return KEY_TYPES[type].Keys.BYTES_PER_ELEMENT / 4;
}

/** The words of an array of keys, without a copy. */
export function asWords(keys) {
  return new Uint32Array(keys.buffer, keys.byteOffset, keys.byteLength / 4);
}

/** Ordered bits of all keys, as a new Uint32Array or BigUint64Array. The array's length is the number of keys. */
export function orderedBits(type, keys) {
  const words = new Uint32Array(asWords(keys));
  flip(type, words, (high) => high >>> 31 === 1);
  return wordsOf(type) === 2 ? new BigUint64Array(words.buffer) : words;
}

/** The keys of ordered bits, in the same memory. */
export function keysOfBits(type, bits) {
  // A number that was negative has its sign bit cleared now.
  flip(type, asWords(bits), (high) => high >>> 31 === 0);
  return new KEY_TYPES[type].Keys(bits.buffer);
}

/** Flips the sign of signed keys; of negative floating-point numbers, all bits. */
function flip(type, words, isNegative) {
  if (type.startsWith('u')) return;
  const wide = wordsOf(type) === 2;
  for (let high = wide ? 1 : 0; high < words.length; high += wide ? 2 : 1) {
    if (type.startsWith('f') && isNegative(words[high])) {
      words[high] = ~words[high];
      if (wide) words[high - 1] = ~words[high - 1];
    } else words[high] ^= 0x80000000;
  }
}

/** The index of the first key whose ordered bits differ from `expected`, or -1. */
export function firstDifference(type, keys, expected) {
  const found = orderedBits(type, keys);
  for (let i = 0; i < expected.length; i++) if (found[i] !== expected[i]) return i;
  return found.length === expected.length ? -1 : expected.length;
}
