/** Random bits of the benchmark files: seeded, and the same on every machine. */

/**
 * Fills words with random bits (xorshift, one 32-bit state), each word mapped by `map`.
 * @param {Uint32Array} words
 * @param {number} state
 * @param {(bits: number) => number} map
 * @returns {number} the state to continue from
 */
export function fillWords(words, state, map) {
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    // The multiplication breaks up the linear patterns of a plain xorshift.
    words[i] = map(Math.imul(state, 0x9e3779b1) ^ (state >>> 15));
  }
  return state;
}

/**
 * The same without a mapping, which is faster.
 * @param {Uint32Array} words
 * @param {number} state
 * @returns {number} the state to continue from
 */
export function fillRandom(words, state) {
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = Math.imul(state, 0x9e3779b1) ^ (state >>> 15);
  }
  return state;
}
