/**
 * CRC-32 by Node's zlib, which is loaded when the first checksum is asked for: that takes 2 ms, which a small sort need
 * not pay.
 */
import { createRequire } from 'node:module';

type Crc32 = (bytes: Uint8Array, before?: number) => number;
let loaded: Crc32 | undefined;

/** The checksum of `bytes`, or of what had the checksum `before` and `bytes` after it. */
export function crc32(bytes: Uint8Array, before = 0): number {
  loaded ??= (createRequire(import.meta.url)('node:zlib') as { readonly crc32: Crc32 }).crc32;
  return loaded(bytes, before);
}
