/**
 * Bytes that do not fit in the engine: written once, from the first to the last, then read at any place. Where they are
 * kept is the store's business (store.ts).
 */

/** No read may be under way when it is released. */
export interface Blob {
  readonly bytes: number;
  /** Reads that begin at a multiple of this, and end at one or at the blob's end, are the cheapest. */
  readonly blockBytes: number;
  /**
   * Fills `target` with the bytes from `byte` on. `writeOnly`: the target is memory that is slow to read, such as
   * mapped upload memory: it is written and never read.
   */
  readAt(byte: number, target: Uint8Array, writeOnly?: boolean): Promise<void>;
  release(): void;
}

export interface BlobWriter {
  /**
   * Appends a copy of `bytes`, which must not change before the promise settles; calls need not wait for each other.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Called once, after the last write. Rejects if a write failed. */
  finish(): Promise<Blob>;
}
