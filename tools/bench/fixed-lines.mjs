/** Lines of one length: the kinds of generate.mjs whose lines all have the same number of bytes. */
import { fillWords } from './random.mjs';

/** Approximate bytes of a block, see generate.mjs. */
const BLOCK_BYTES = 4 << 20;
const NEWLINE = 10;

/**
 * Blocks of lines of one length: bytes from `map`, and a newline at the end of each line.
 * @param {number} lineBytes with the newline
 * @param {(bits: number) => number} map makes four bytes from random bits
 */
export function fixedLines(lineBytes, map) {
  const count = Math.max(4, Math.floor(BLOCK_BYTES / lineBytes / 4) * 4);
  const block = Buffer.alloc(count * lineBytes);
  const words = new Uint32Array(block.buffer, block.byteOffset, block.length / 4);
  return (state) => {
    state = fillWords(words, state, map);
    for (let at = lineBytes - 1; at < block.length; at += lineBytes) block[at] = NEWLINE;
    return { state, block, lineBytes };
  };
}

/** Each byte becomes one of 64 printable characters, `0` to `o`. */
export const printable = (bits) => (bits & 0x3f3f3f3f) + 0x30303030;

/** Four bases for each value of a byte. */
const BASES = Uint32Array.from({ length: 256 }, (_, i) => {
  const letter = (k) => 'ACGT'.charCodeAt((i >> (2 * k)) & 3);
  return letter(0) | (letter(1) << 8) | (letter(2) << 16) | (letter(3) << 24);
});
export const bases = (bits) => BASES[bits >>> 24];

const LENGTH = /^(?<alphabet>dna|text)(?<length>\d{1,4})$/;

/**
 * The kinds `dnaN` and `textN`: lines of N bases or printable characters, and a newline.
 * @returns {((state: number) => object) | null} null: not such a kind
 */
export function lengthKind(name) {
  const parts = LENGTH.exec(name)?.groups;
  if (parts === undefined || Number(parts.length) === 0) return null;
  return fixedLines(Number(parts.length) + 1, parts.alphabet === 'dna' ? bases : printable);
}
