/** Shared by the input kinds of `npm run calibrate`: text made line by line. Seeded. */

/** Random whole numbers below n, from a seed (mulberry32). */
export function below(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

export function letters(random, alphabet, length) {
  let text = '';
  for (let i = 0; i < length; i++) text += alphabet[random(alphabet.length)];
  return text;
}

/**
 * Lines of about `bytes` bytes in all, at most 255 bytes each.
 * @param {(random: (n: number) => number) => (i: number) => string} kind gives the function that makes line i
 */
export function linesText(kind, bytes, seed) {
  const line = kind(below(seed));
  const text = Buffer.allocUnsafe(bytes + 256);
  let at = 0;
  for (let i = 0; at < bytes; i++) {
    at += text.latin1Write(line(i), at);
    text[at++] = 10;
  }
  return text.subarray(0, at);
}
