/** CRC-32 from Node's zlib. */
import { zlib } from './zlib.js';

/** The checksum of `bytes`, or of `bytes` appended to data with checksum `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  return zlib().crc32(bytes, before);
}
