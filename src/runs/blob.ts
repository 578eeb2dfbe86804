/**
 * Bytes that do not fit in the engine: written once, sequentially, then read at any offset. A blob does not know where
 * it is kept; the store chooses the place (store.ts).
 */
import type { RandomAccess } from '../system/byte-source.js';
import { internalError } from '../system/errors.js';
import { copyBytes } from '../system/memory.js';

/** `release` must not be called while a read is under way. */
export interface Blob extends RandomAccess {
  readonly bytes: number;
  /** Reads are cheapest if they begin at a multiple of this and end at a multiple or at the end of the blob. */
  readonly blockBytes: number;
  release(): void;
}

export interface BlobWriter {
  /**
   * Appends a copy of `bytes`, which must not change before the promise settles. Calls need not wait for each other.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Called once, after the last write. Rejects if a write failed. */
  finish(): Promise<Blob>;
}

/** Large enough that there are few blocks, small enough to waste little. */
const MEMORY_BLOCK_BYTES = 16 << 20;
/** All offsets cost the same to read. Windows of this size are small enough to copy without a pause. */
const WINDOW_BYTES = 32 << 10;

/** Room for at most `bytes` bytes. `released` is called when the blob is released. */
export function memoryBlob(bytes: number, released: () => void): BlobWriter {
  const blocks: Uint8Array[] = [];
  let length = 0;
  return {
    write: async (data) => {
      if (length + data.length > bytes)
        throw internalError(`${length + data.length} bytes were written to a blob of ${bytes}`);
      for (let at = 0; at < data.length; ) {
        const within = length % MEMORY_BLOCK_BYTES;
        if (within === 0) blocks.push(new Uint8Array(Math.min(MEMORY_BLOCK_BYTES, bytes - length)));
        const part = data.subarray(at, at + MEMORY_BLOCK_BYTES - within);
        copyBytes(part, blocks[blocks.length - 1], within);
        length += part.length;
        at += part.length;
      }
    },
    finish: async () => ({
      bytes: length,
      blockBytes: WINDOW_BYTES,
      readAt: async (byte, target) => {
        const end = byte + target.length;
        if (byte < 0 || end > length) throw internalError(`bytes ${byte} to ${end} were read of a blob of ${length}`);
        for (let done = 0; done < target.length; ) {
          const within = (byte + done) % MEMORY_BLOCK_BYTES;
          const block = blocks[Math.floor((byte + done) / MEMORY_BLOCK_BYTES)];
          const part = block.subarray(within, within + target.length - done);
          copyBytes(part, target, done);
          done += part.length;
        }
      },
      release: () => {
        blocks.length = 0;
        released();
      },
    }),
  };
}
