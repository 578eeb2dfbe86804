/** Reading and writing that goes on after short counts, interruptions and full or empty pipes; closing. */
import { fileSystem } from './file-system.js';

/** How long to wait before a pipe that had no room or no data is tried again. */
const RETRY_MS = 1;

/** At least one byte of `target` from `position` on, or (null) where the descriptor is; 0 at the end. Rejects with the system's error. */
export async function readSome(fd: number, target: Uint8Array, position: number | null): Promise<number> {
  for (;;) {
    try {
      return await fileSystem.read(fd, target, position);
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await delay();
    }
  }
}

/** Fills `target` from `position` on and returns its length, or less if the file ends before. Rejects with the system's error. */
export async function readFilling(fd: number, target: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < target.length) {
    const count = await readSome(fd, done === 0 ? target : target.subarray(done), position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/**
 * Writes all bytes of `blocks` to a descriptor, from `position` on or (null) where it is; tries again if a full pipe takes none.
 * Rejects with the system's error.
 */
export async function writeFully(fd: number, blocks: readonly Uint8Array[], position: number | null): Promise<void> {
  let rest = blocks;
  let at = position;
  while (rest.length > 0) {
    try {
      const count = await fileSystem.writev(fd, rest, at);
      rest = after(rest, count);
      if (at !== null) at += count;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await delay();
    }
  }
}

/** Closes a descriptor that was only read from, or whose contents do not matter any more: nothing is lost if that fails. */
export function closeQuietly(fd: number): void {
  try { fileSystem.closeSync(fd); } catch { /* it is closed all the same */ }
}

/** What a synchronous call gives that is made again when a signal interrupts it. Throws its other errors. */
export function uninterrupted<T>(call: () => T): T {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EINTR') throw error;
    }
  }
}

function isTemporary(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EINTR';
}

function delay(): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, RETRY_MS); });
}

/** What is left of `blocks` after their first `count` bytes. */
function after(blocks: readonly Uint8Array[], count: number): readonly Uint8Array[] {
  let left = count;
  let first = 0;
  while (first < blocks.length && left >= blocks[first]!.length) left -= blocks[first++]!.length;
  if (first === blocks.length) return [];
  return [blocks[first]!.subarray(left), ...blocks.slice(first + 1)];
}
