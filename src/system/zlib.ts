/** Node's zlib. It is loaded when it is first needed, because loading takes 2 ms, which small sorts need not pay. */
import { createRequire } from 'node:module';
import type * as Zlib from 'node:zlib';

let loaded: typeof Zlib | undefined;

export function zlib(): typeof Zlib {
  return (loaded ??= createRequire(import.meta.url)('node:zlib') as typeof Zlib);
}

/** The checksum of `bytes`, or of `bytes` appended to data with checksum `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  return zlib().crc32(bytes, before);
}
