/** A blob in blocks with checksums. Each block is compared with its checksum whenever it is read. */

import type { RandomAccess, TargetMemory } from '../system/byte-source.js';
import { type GpusortError, internalError } from '../system/errors.js';
import { allOver, inParallel } from '../system/promises.js';
import { crc32 } from '../system/zlib.js';
import type { Blob } from './blob.js';

/** Bytes per system call, checked without a pause: large enough for the disk, one millisecond of processor time. */
const PIECE_BYTES = 4 << 20;
/** Concurrent reads within one request. */
const READS = 4;
/** Maximum number of blocks of a small read. */
const SMALL_BLOCKS = 2;

/** Where the blocks of a blob lie. */
export interface BlockSource extends RandomAccess {
  /** The checksum of a block; absent: its CRC-32. */
  checksum?(block: Uint8Array): number;
  /** The checksums of `count` blocks from block `first` on. */
  checksums(first: number, count: number): Uint32Array | Promise<Uint32Array>;
  /** The error for a block, which begins at `byte`, that differs from the written bytes. */
  damaged(byte: number): GpusortError;
  release(): void;
}

export class CheckedBlob implements Blob {
  readonly bytes: number;
  readonly blockBytes: number;
  private readonly source: BlockSource;
  /** Blocks [from, to) of the last small read. */
  private recent: { readonly from: number; readonly to: number; readonly content: Promise<Uint8Array> } | null = null;

  constructor(bytes: number, blockBytes: number, source: BlockSource) {
    this.bytes = bytes;
    this.blockBytes = blockBytes;
    this.source = source;
  }

  async readAt(byte: number, target: Uint8Array, { writeOnly = false }: TargetMemory = {}): Promise<void> {
    const { blockBytes } = this;
    const end = byte + target.length;
    if (byte < 0 || end > this.bytes)
      throw internalError(`bytes ${byte} to ${end} were read of a blob of ${this.bytes}`);
    const whole = byte === 0 && end === this.bytes;
    const blocks = Math.ceil(end / blockBytes) - Math.floor(byte / blockBytes);
    if (!whole && blocks <= SMALL_BLOCKS) return this.readSmall(byte, target);
    const firstWhole = Math.ceil(byte / blockBytes) * blockBytes;
    const lastWhole = end === this.bytes ? end : Math.floor(end / blockBytes) * blockBytes;
    const reads: (() => Promise<unknown>)[] = [];
    for (let from = firstWhole; from < lastWhole; from += PIECE_BYTES) {
      const piece = target.subarray(from - byte, Math.min(lastWhole, from + PIECE_BYTES) - byte);
      reads.push(async () => {
        const content = await this.readWhole(from, writeOnly ? Buffer.allocUnsafe(piece.length) : piece);
        if (writeOnly) piece.set(content);
      });
    }
    if (byte < firstWhole) reads.unshift(() => this.readSmall(byte, target.subarray(0, firstWhole - byte)));
    if (lastWhole < end) reads.push(() => this.readSmall(lastWhole, target.subarray(lastWhole - byte)));
    await inParallel(reads, READS, (read) => read());
  }

  release(): void {
    this.source.release();
    this.forget();
  }

  /** Frees the blocks kept by small reads. */
  forget(): void {
    this.recent = null;
  }

  /**
   * Fills `target` from a few blocks, and keeps these blocks. A slice of a run ends in the block in which the next
   * slice begins, and sampling and cutting have read there before.
   */
  private async readSmall(byte: number, target: Uint8Array): Promise<void> {
    const { blockBytes } = this;
    const from = Math.floor(byte / blockBytes) * blockBytes;
    const to = Math.min(this.bytes, Math.ceil((byte + target.length) / blockBytes) * blockBytes);
    let { recent } = this;
    if (recent === null || from < recent.from || to > recent.to) {
      recent = { from, to, content: this.readWhole(from, Buffer.allocUnsafe(to - from)) };
      this.recent = recent;
    }
    const content = await recent.content.catch((error: unknown) => {
      this.recent = null;
      throw error;
    });
    target.set(content.subarray(byte - recent.from, byte - recent.from + target.length));
  }

  /** Fills `target` with whole blocks, the first of which begins at `byte`, and checks them. */
  private async readWhole(byte: number, target: Uint8Array): Promise<Uint8Array> {
    const { source, blockBytes } = this;
    const checksum = source.checksum ?? crc32;
    const blocks = Math.ceil(target.length / blockBytes);
    const [expected] = await allOver([source.checksums(byte / blockBytes, blocks), source.readAt(byte, target)]);
    for (let i = 0; i < blocks; i++) {
      const at = i * blockBytes;
      if (checksum(target.subarray(at, at + blockBytes)) !== expected[i]) throw source.damaged(byte + at);
    }
    return target;
  }
}
