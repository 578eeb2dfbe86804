/**
 * Blobs in a temporary file. A blob is a list of extents of the file. The CRC-32 of each of its blocks stays in memory
 * and is compared whenever the block is read. The checksums are not stored beside the blocks. So a swapped or stale
 * block fails the check just as a damaged one does, without hashing its position.
 */

import { lastIndex } from '../system/binary-search.js';
import { allOver, quiet } from '../system/promises.js';
import { crc32 } from '../system/zlib.js';
import type { Blob, BlobWriter } from './blob.js';
import { type BlockSource, CheckedBlob } from './checked-blob.js';
import type { Extent, SpillFile } from './spill-file.js';

/** Bytes per system call, checked without a pause: large enough for the disk, one millisecond of processor time. */
const PIECE_BYTES = 4 << 20;

/** A part of a blob and its position in the file. */
interface FilePlace {
  readonly position: number;
  readonly bytes: number;
}

/** Maps a blob's bytes to extents of the file. */
class BlobLayout {
  private readonly file: SpillFile;
  private readonly extents: Extent[] = [];
  /** The offset in the blob at which each extent begins. */
  private readonly starts: number[] = [];
  private capacity = 0;

  constructor(file: SpillFile) {
    this.file = file;
  }

  /** Takes space until the blob has `bytes` bytes in all. */
  reserve(bytes: number): void {
    if (bytes <= this.capacity) return;
    for (const extent of this.file.space.take(bytes - this.capacity)) {
      const last = this.extents.length - 1;
      const before = this.extents[last];
      if (before?.end === extent.begin) {
        this.extents[last] = { begin: before.begin, end: extent.end };
      } else {
        this.extents.push(extent);
        this.starts.push(this.capacity);
      }
      this.capacity += extent.end - extent.begin;
    }
  }

  /** Frees all space after the first `bytes` bytes. */
  shrink(bytes: number): void {
    while (this.capacity > bytes) {
      const { begin, end } = this.extents.pop()!;
      const start = this.starts.pop()!;
      const kept = begin + Math.max(0, bytes - start);
      this.file.space.give({ begin: kept, end });
      if (kept > begin) {
        this.extents.push({ begin, end: kept });
        this.starts.push(start);
      }
      this.capacity = start + kept - begin;
    }
  }

  /** The positions of bytes [from, to), in order. */
  places(from: number, to: number): FilePlace[] {
    const places: FilePlace[] = [];
    for (let at = from, i = this.extentOf(from); at < to; i++) {
      const { begin, end } = this.extents[i];
      const position = begin + at - this.starts[i];
      const bytes = Math.min(end - position, to - at);
      places.push({ position, bytes });
      at += bytes;
    }
    return places;
  }

  /** The index of the extent that holds byte `byte`. */
  private extentOf(byte: number): number {
    return lastIndex(0, this.starts.length, (i) => this.starts[i] <= byte);
  }
}

/** Writes a blob of `bytes` bytes (null: not known yet) to `file`, with checksums of blocks of `blockBytes`. */
export class SpillWriter implements BlobWriter {
  private readonly file: SpillFile;
  private readonly layout: BlobLayout;
  private readonly blockBytes: number;
  private checksums: Uint32Array;
  private length = 0;
  /** `begun` settles when all writes so far have been started, `over` when they have finished. */
  private begun: Promise<unknown> = Promise.resolve();
  private over: Promise<unknown> = Promise.resolve();

  /** A blob of known size takes its space at once, so several blobs can be written concurrently. */
  constructor(file: SpillFile, bytes: number | null, blockBytes: number) {
    this.file = file;
    this.blockBytes = blockBytes;
    this.layout = new BlobLayout(file);
    this.layout.reserve(bytes ?? 0);
    this.checksums = new Uint32Array(Math.ceil((bytes ?? blockBytes) / blockBytes));
  }

  write(data: Uint8Array): Promise<void> {
    const begun = this.begun.then(() => this.begin(data));
    // Handled by the caller that waits for this write.
    this.begun = quiet(begun);
    const written = begun.then(({ writes }) => allOver(writes)).then(() => {});
    this.over = allOver([this.over, written]).then(() => {});
    // Handled in finish.
    quiet(this.over);
    return written;
  }

  async finish(): Promise<Blob> {
    await this.over;
    this.layout.shrink(this.length);
    const { file, layout, length, blockBytes } = this;
    const checksums = this.checksums.slice(0, Math.ceil(length / blockBytes));
    return new CheckedBlob(length, blockBytes, spillSource(file, layout, checksums));
  }

  /** Starts the writes of `data`, piece by piece. */
  private async begin(data: Uint8Array): Promise<{ readonly writes: readonly Promise<void>[] }> {
    const writes: Promise<void>[] = [];
    for (let at = 0; at < data.length; at += PIECE_BYTES) {
      if (at > 0) await new Promise(setImmediate);
      const piece = data.subarray(at, at + PIECE_BYTES);
      const from = this.length;
      this.layout.reserve(from + piece.length);
      this.addChecksums(piece);
      let done = 0;
      for (const { position, bytes } of this.layout.places(from, from + piece.length)) {
        const write = this.file.write(piece.subarray(done, done + bytes), position);
        // Handled once all have been started.
        quiet(write);
        writes.push(write);
        done += bytes;
      }
    }
    return { writes };
  }

  private addChecksums(piece: Uint8Array): void {
    const { blockBytes } = this;
    const blocks = Math.ceil((this.length + piece.length) / blockBytes);
    if (blocks > this.checksums.length) {
      const larger = new Uint32Array(Math.max(blocks, 2 * this.checksums.length));
      larger.set(this.checksums);
      this.checksums = larger;
    }
    for (let at = 0; at < piece.length; ) {
      const within = this.length % blockBytes;
      const part = piece.subarray(at, at + blockBytes - within);
      const block = (this.length - within) / blockBytes;
      this.checksums[block] = crc32(part, within === 0 ? 0 : this.checksums[block]);
      at += part.length;
      this.length += part.length;
    }
  }
}

/** The blocks of a blob in the file. */
function spillSource(file: SpillFile, layout: BlobLayout, checksums: Uint32Array): BlockSource {
  return {
    readAt: async (byte, target) => {
      const places = layout.places(byte, byte + target.length);
      let done = 0;
      await allOver(places.map(({ position, bytes }) => file.read(target.subarray(done, (done += bytes)), position)));
    },
    checksums: (first, count) => checksums.subarray(first, first + count),
    damaged: (byte) => file.damagedBlock(layout.places(byte, byte + 1)[0].position),
    release: () => {
      layout.shrink(0);
    },
  };
}
