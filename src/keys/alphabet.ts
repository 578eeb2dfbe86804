/**
 * How symbols are packed into 64-bit keys: the number of symbols in a key, and the code of each byte. The device does
 * the same (kernels/wgsl/strings/radix-refine/symbol-table.wgsl). Pure.
 */

export interface Alphabet {
  /** The number of distinct bytes. */
  readonly size: number;
  /** Bits of a symbol, 1 to 9. If records differ in length, their end is a symbol too. */
  readonly symbolBits: number;
  /** Symbols in a key. */
  readonly keySymbols: number;
  /**
   * The code of each of the 256 bytes, in byte order: from 1 up, or from 0 if all records have one length; 0 for bytes
   * that do not occur.
   */
  readonly numbers: Uint32Array<ArrayBuffer>;
}

const KEY_BITS = 64;

/**
 * The alphabet of the bytes whose flag in `found` (256 flags) is 1, without the byte `ends`, which occurs only at the
 * end of records. `oneLength`: all records have one length.
 */
export function alphabetOf(
  found: Uint8Array,
  ends: number | null,
  { oneLength = false }: { readonly oneLength?: boolean } = {},
): Alphabet {
  const numbers = new Uint32Array(256);
  const first = oneLength ? 0 : 1;
  let size = 0;
  for (let byte = 0; byte < 256; byte++) {
    if (byte !== ends && found[byte] === 1) numbers[byte] = first + size++;
  }
  const symbolBits = Math.max(1, Math.ceil(Math.log2(first + size)));
  return { size, symbolBits, keySymbols: Math.floor(KEY_BITS / symbolBits), numbers };
}
