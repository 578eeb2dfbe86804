/**
 * Making the pages of a new file in memory (tmpfs) ready while there is nothing to write yet: a fresh page costs more than the copying
 * of bytes into it, and the seconds before the first sorted byte are free. On disks it would only write twice.
 */
import { fileSystem } from '../file-system.js';

/** Type of a file system in memory, from Linux's magic numbers. */
const TMPFS = 0x01021994;
/** Below this the start of a sort is over before much is gained. */
const LEAST_BYTES = 256 << 20;
/** Two writers make about 4 GB/s of pages ready (H200 machine), more do not. */
const WRITERS = 2;
const BLOCK_BYTES = 4 << 20;

/**
 * Begins to fill file `fd` at `path`, empty and ours alone, with zeros up to `bytes`. The function returned ends that and resolves when it
 * has ended: nothing may be written before. Failures end it quietly: who writes the real bytes is told of them.
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
      await fileSystem.writev(fd, [zeros.subarray(0, Math.min(BLOCK_BYTES, bytes - at))], at).catch(() => { stopped = true; });
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
    return false; // not asked on this system: nothing is lost
  }
}
