/** How symbols are packed into 64-bit keys: the number of symbols in a key, and the code of each byte. Pure. */

/** The packing of bytes into keys (kernels/wgsl/strings/radix-refine/symbols.wgsl). */
export interface Alphabet {
  /** The number of distinct bytes. */
  readonly size: number;
  /** Bits of a symbol; the end mark is one of them. */
  readonly symbolBits: number;
  /** Symbols in a key. */
  readonly keySymbols: number;
  /** The code of each of the 256 bytes: from 1 up in byte order; 0 for bytes that do not occur. */
  readonly numbers: Uint32Array<ArrayBuffer>;
}

const KEY_BITS = 64;

/**
 * The alphabet of the bytes set in `present` (8 words; byte b is bit b % 32 of word b / 32), without `ends`, which
 * occurs only at the end of records.
 */
export function alphabetOf(present: Uint32Array, ends: number | null): Alphabet {
  const numbers = new Uint32Array(256);
  let size = 0;
  for (let byte = 0; byte < 256; byte++) {
    if (byte !== ends && ((present[byte >> 5] >>> (byte & 31)) & 1) === 1) numbers[byte] = ++size;
  }
  const symbolBits = Math.max(1, Math.ceil(Math.log2(size + 1)));
  return { size, symbolBits, keySymbols: Math.floor(KEY_BITS / symbolBits), numbers };
}
