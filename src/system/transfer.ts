/**
 * Reads and writes that continue after short counts, interruptions and full or empty pipes. Also closes descriptors.
 */
import { fileSystem } from './file-system.js';
import { inParallel } from './promises.js';

/** Delay before a retry on a full or empty pipe. */
const RETRY_MS = 1;

/**
 * Reads at least one byte into `target`, at `position` or (null) at the descriptor's offset; 0 at end of file. Rejects
 * with the system's error.
 */
export async function readSome(fd: number, target: Uint8Array, position: number | null): Promise<number> {
  for (;;) {
    try {
      return await fileSystem.read(fd, target, position);
    } catch (error) {
      if (isEndOfPipe(error)) return 0;
      if (!isTemporary(error)) throw error;
      await delay();
    }
  }
}

/**
 * Fills `target` from `position` on; returns the bytes read, fewer only at end of file. Rejects
 * with the system's error.
 */
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
 * Writes all of `blocks`, at `position` or (null) at the descriptor's offset; retries while a pipe is full. Rejects
 * with the system's error. `onWritten` is called after each write, however short.
 */
export async function writeFully(
  fd: number,
  blocks: readonly Uint8Array[],
  position: number | null,
  onWritten?: () => void,
): Promise<void> {
  let rest = blocks;
  let at = position;
  while (rest.length > 0) {
    try {
      const count = await fileSystem.writev(fd, rest, at);
      onWritten?.();
      rest = after(rest, count);
      if (at !== null) at += count;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await delay();
    }
  }
}

/** Writes all bytes at the descriptor's offset; waits while a pipe that does not block is full. */
export function writeAtOnce(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += fileSystem.writeSync(fd, bytes.subarray(done));
    } catch (error) {
      if (!isTemporary(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/**
 * The offset of a descriptor of a regular file. Bytes before the offset of standard input, which another process has
 * read, do not belong to the input. Null if the system does not report the offset without moving it.
 */
export function currentOffset(fd: number): number | null {
  try {
    return Number(
      /^pos:\s*(\d+)/m.exec(fileSystem.readFileSync(`/proc/self/fdinfo/${fd}`).toString('latin1'))?.[1] ?? 0,
    );
  } catch {
    return null; // only Linux reports it
  }
}

/** Closes a descriptor that was only read, or whose contents no longer matter: a failure loses nothing. */
export function closeQuietly(fd: number): void {
  try {
    fileSystem.closeSync(fd);
  } catch {
    /* the descriptor is closed anyway */
  }
}

/** Repeats a synchronous call that a signal interrupts. Throws its other errors. */
export function uninterrupted<T>(call: () => T): T {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EINTR') throw error;
    }
  }
}

/** Whether a write failed because nobody reads the pipe any more. */
export function isClosedPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE' || isEndOfPipe(error);
}

/** Whether an error has libuv's name for a Windows pipe whose other end is closed. Other systems have no such error. */
function isEndOfPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EOF';
}

function isTemporary(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EINTR';
}

function delay(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, RETRY_MS);
  });
}

/** `blocks` without their first `count` bytes. */
function after(blocks: readonly Uint8Array[], count: number): readonly Uint8Array[] {
  let left = count;
  let first = 0;
  while (first < blocks.length && left >= blocks[first].length) left -= blocks[first++].length;
  if (first === blocks.length) return [];
  return [blocks[first].subarray(left), ...blocks.slice(first + 1)];
}

const COPY_BYTES = 4 << 20;
/** A read and a write overlap. */
const COPIES_AT_ONCE = 2;

/**
 * Copies bytes [begin, end) of an open file to another, `shift` bytes further on. Rejects with the system's error once
 * nothing is under way. `onWritten` is called after each write, however short.
 */
export async function copyFileBytes(
  from: number,
  to: number,
  { begin, end, shift = 0 }: { readonly begin: number; readonly end: number; readonly shift?: number },
  onWritten?: () => void,
): Promise<void> {
  const blocks = Array.from(
    { length: Math.ceil(Math.max(0, end - begin) / COPY_BYTES) },
    (_, i) => begin + i * COPY_BYTES,
  );
  await inParallel(blocks, COPIES_AT_ONCE, async (at) => {
    const block = Buffer.allocUnsafe(Math.min(COPY_BYTES, end - at));
    if ((await readFilling(from, block, at)) < block.length) throw new Error('a temporary file became shorter');
    await writeFully(to, [block], at + shift, onWritten);
  });
}
