/** zstd in Node's zlib: versions 22.15 and later of Node 22, and 23.8 and later, have it. */
import type { Transform } from 'node:stream';
import type * as Zlib from 'node:zlib';
import { zlib } from '../system/zlib.js';

/** For messages. */
export const ZSTD_VERSIONS = 'Node 22.15, 23.8 or later';

export interface Zstd {
  /** `text` as one frame with a checksum. */
  compress(text: Uint8Array, level: number): Uint8Array;
  /** A stream that decompresses one frame, in buffers of `chunkSize` bytes. */
  openFrame(chunkSize: number): Transform & { readonly bytesWritten: number };
}

/** The part of Node's zlib that older versions lack. */
interface ZstdModule {
  readonly zstdCompressSync?: (text: Uint8Array, options: object) => Buffer;
  readonly createZstdDecompress?: (options: object) => Transform & { readonly bytesWritten: number };
  readonly constants: typeof Zlib.constants & {
    readonly ZSTD_c_compressionLevel: number;
    readonly ZSTD_c_checksumFlag: number;
  };
}

/** null: this version of Node lacks it. */
export function zstd(): Zstd | null {
  const { zstdCompressSync, createZstdDecompress, constants } = zlib() as unknown as ZstdModule;
  if (zstdCompressSync === undefined || createZstdDecompress === undefined) return null;
  return {
    compress: (text, level) =>
      zstdCompressSync(text, {
        params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
      }),
    openFrame: (chunkSize) => createZstdDecompress({ chunkSize }),
  };
}
