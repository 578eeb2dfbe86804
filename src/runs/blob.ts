/**
 * Bytes that do not fit in the engine: written once, sequentially, then read at any offset. A blob does not know where
 * it is kept; the store decides that (store.ts).
 */

/** `release` must not be called while a read is under way. */
export interface Blob {
  readonly bytes: number;
  /** Reads are cheapest if they begin at a multiple of this and end at a multiple or at the end of the blob. */
  readonly blockBytes: number;
  /**
   * Fills `target` with the bytes from offset `byte`. `writeOnly`: the target is slow to read (mapped upload memory,
   * for example), so it is written and never read.
   */
  readAt(byte: number, target: Uint8Array, writeOnly?: boolean): Promise<void>;
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
