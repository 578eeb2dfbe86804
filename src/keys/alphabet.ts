/**
 * Symbols packed into keys of 64 bits: how many a key holds, and the number of each byte. Pure.
 */

/** How records' bytes become packed keys (kernels/shared/symbols.wgsl). */
export interface Alphabet {
  /** Different bytes. */
  readonly size: number;
  /** Bits a symbol, the end mark included. */
  readonly symbolBits: number;
  /** Symbols a key. */
  readonly keySymbols: number;
  /** The number of each of 256 bytes: from 1 on in byte order; 0 for bytes that do not occur. */
  readonly numbers: Uint32Array<ArrayBuffer>;
}

const KEY_BITS = 64;

/** The alphabet of the bytes whose bits are set in `present` (8 words, byte b is bit b % 32 of word b / 32), except `ends`, which only ends records. */
export function alphabetOf(present: Uint32Array, ends: number | null): Alphabet {
  const numbers = new Uint32Array(256);
  let size = 0;
  for (let byte = 0; byte < 256; byte++) {
    if (byte !== ends && ((present[byte >> 5]! >>> (byte & 31)) & 1) === 1) numbers[byte] = ++size;
  }
  const symbolBits = Math.max(1, Math.ceil(Math.log2(size + 1)));
  return { size, symbolBits, keySymbols: Math.floor(KEY_BITS / symbolBits), numbers };
}
