/** zstd in Node's zlib: Node 22 has it from version 22.15 on, and later Nodes from 23.8 on. */
import type { Transform } from 'node:stream';
import type * as Zlib from 'node:zlib';
import { zlib } from '../system/zlib.js';

/** The versions of Node that have zstd, for messages. */
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

/**
 * Finds where a zstd frame ends, from the lengths of its blocks, without decompressing it. Source: RFC 8878, sections
 * 3.1.1 and 3.1.2. The bytes may come in pieces.
 */
const MAGIC = 0xfd2fb528;
/** The lowest four bits of this magic number are free. */
const SKIPPABLE_MAGIC = 0x184d2a50;
/** Bytes of the dictionary's number and of the content's size, by their codes in the frame header descriptor. */
const DICTIONARY_BYTES = [0, 1, 2, 4];
const CONTENT_BYTES = [0, 2, 4, 8];

export class FrameFinder {
  /** Bytes of the header whose length is being found: a frame's descriptor or a block's header. */
  private readonly header: number[] = [];
  /** Bytes to skip before the next header. */
  private skip = 0;
  private hasChecksum = false;
  private state: 'magic' | 'descriptor' | 'block' | 'last' = 'magic';

  /**
   * Takes the next bytes; returns the length of those up to the frame's end, -1 if it does not end in them, null if it
   * is not a frame.
   */
  next(bytes: Uint8Array): number | null {
    let at = 0;
    for (;;) {
      const skipped = Math.min(this.skip, bytes.length - at);
      this.skip -= skipped;
      at += skipped;
      if (this.skip > 0) return -1;
      if (this.state === 'last') return at;
      while (this.header.length < this.headerBytes()) {
        if (at === bytes.length) return -1;
        this.header.push(bytes[at++]);
      }
      if (!this.enter()) return null;
      this.header.length = 0;
    }
  }

  private headerBytes(): number {
    if (this.state === 'magic') return this.isSkippableMagic() ? 8 : 4;
    return this.state === 'descriptor' ? 1 : 3;
  }

  private isSkippableMagic(): boolean {
    return this.header.length >= 4 && (this.value(0) & ~15) === SKIPPABLE_MAGIC;
  }

  private value(at: number): number {
    const [a, b, c, d] = this.header.slice(at, at + 4);
    return a | (b << 8) | (c << 16) | (d << 24);
  }

  /** Reads a whole header. Returns false if it is invalid. */
  private enter(): boolean {
    const [first] = this.header;
    if (this.state === 'magic') {
      if (this.isSkippableMagic()) {
        this.skip = this.value(4) >>> 0;
        this.state = 'last';
        return true;
      }
      this.state = 'descriptor';
      return this.value(0) === (MAGIC | 0);
    }
    if (this.state === 'descriptor') {
      const isSingleSegment = (first & 0x20) !== 0;
      const contentCode = first >> 6;
      this.hasChecksum = (first & 4) !== 0;
      this.skip =
        (isSingleSegment ? 0 : 1) +
        DICTIONARY_BYTES[first & 3] +
        (contentCode === 0 && isSingleSegment ? 1 : CONTENT_BYTES[contentCode]);
      this.state = 'block';
      return true;
    }
    const header = first | (this.header[1] << 8) | (this.header[2] << 16);
    const type = (header >> 1) & 3;
    this.skip = type === 1 ? 1 : header >> 3;
    if ((header & 1) !== 0) {
      this.state = 'last';
      this.skip += this.hasChecksum ? 4 : 0;
    }
    return type !== 3;
  }
}
