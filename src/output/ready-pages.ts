/**
 * Allocates the pages of a new file in memory (tmpfs) while there is nothing to write yet. A new page costs more than
 * copying bytes into it, and the time before the first sorted byte is free. On disks this would only write twice.
 */
import { fileSystem } from '../system/file-system.js';

/** The file system type of tmpfs, a Linux magic number. */
const TMPFS = 0x01021994;
/** Smaller files gain too little before the first block arrives. */
const LEAST_BYTES = 256 << 20;
/** Two writers make about 4 GB/s of pages ready (H200 machine). More do not help. */
const WRITERS = 2;
const BLOCK_BYTES = 4 << 20;

/**
 * Starts to fill file `fd` at `path` with zeros up to `bytes`. The file must be empty and used by nobody else. The
 * returned function stops that; nothing may be written before it resolves. Errors are ignored: writing the real bytes
 * will report them.
 */
export function readyPages(fd: number, path: Buffer, bytes: number): () => Promise<void> {
  if (bytes < LEAST_BYTES || !inMemory(path)) return async () => {};
  const zeros = Buffer.alloc(BLOCK_BYTES);
  let next = 0;
  let stopped = false;
  const writer = async (): Promise<void> => {
    while (!stopped && next < bytes) {
      const at = next;
      next += BLOCK_BYTES;
      await fileSystem.writev(fd, [zeros.subarray(0, Math.min(BLOCK_BYTES, bytes - at))], at).catch(() => {
        stopped = true;
      });
    }
  };
  const ended = Promise.all(Array.from({ length: WRITERS }, writer));
  return async () => {
    stopped = true;
    await ended;
  };
}

function inMemory(path: Buffer): boolean {
  try {
    return fileSystem.statfsSync(path) === TMPFS;
  } catch {
    return false; // the file system is unknown: nothing is lost
  }
}
