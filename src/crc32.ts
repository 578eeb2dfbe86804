/**
 * CRC-32 from Node's zlib. It is loaded for the first checksum, because loading takes 2 ms, which
 * small sorts need not pay.
 */
import { createRequire } from 'node:module';

type Crc32 = (bytes: Uint8Array, before?: number) => number;
let loaded: Crc32 | undefined;

/** The checksum of `bytes`, or of `bytes` appended to data with checksum `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  loaded ??= (createRequire(import.meta.url)('node:zlib') as { readonly crc32: Crc32 }).crc32;
  return loaded(bytes, before);
}
