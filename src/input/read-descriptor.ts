/**
 * Reads descriptors from beginning to end: pipes, sockets, terminals, devices, and files that are read sequentially.
 * They can be read straight into the memory of a chunk.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';
import type { ByteSource } from '../system/byte-source.js';
import { systemError } from '../system/errors.js';
import { type BigIntStats, fileSystem } from '../system/file-system.js';
import { isWindows } from '../system/platform.js';
import { quiet } from '../system/promises.js';
import { closeQuietly, readSome } from '../system/transfer.js';

/** A read of a pipe returns at most what the pipe holds: 64 KiB by default, up to 1 MiB. */
const BUFFER_BYTES = 1 << 20;
const NOTHING = new Uint8Array(0);

/**
 * The bits of a mode that give the type of a file, and their value for a pipe. Node's isFIFO() does not know pipes of
 * Windows.
 */
const [FILE_KIND, PIPE] = [0o170000n, 0o010000n];

export interface DescriptorOptions {
  /** Whether the source closes the descriptor. */
  readonly owned: boolean;
  /** The offset in a regular file to begin at; null or absent: the current one. */
  readonly from?: number | null;
  /** Maximum bytes per read. */
  readonly most?: number | undefined;
  /**
   * Whether the next bytes of a regular file are read while the caller works on the last ones: into the rest of the
   * caller's memory, or into a second buffer. Needs `from`.
   */
  readonly readsAhead?: boolean;
}

/** The bytes of descriptor `fd`. */
export function readDescriptor(
  fd: number,
  label: string,
  { owned, from = null, most = BUFFER_BYTES, readsAhead = false }: DescriptorOptions,
): ByteSource {
  const stat = statOf(fd, label);
  // A read of a pipe would block a thread of the pool and keep the process from exiting. A socket handle polls instead.
  if ((stat.mode & FILE_KIND) === PIPE || stat.isSocket())
    try {
      return socketReader(fd, label, { owned });
    } catch (error) {
      // Windows allows some pipes to be read, but not to be examined.
      if (!isWindows()) throw error;
    }
  const bytes = Math.min(most, BUFFER_BYTES);
  return blockingReader(fd, label, { owned, from, bytes, readsAhead: readsAhead && from !== null });
}

function statOf(fd: number, label: string): BigIntStats {
  try {
    return fileSystem.fstatSync(fd);
  } catch (error) {
    throw systemError('read-failed', 'read failed', label, error);
  }
}

interface BlockingReads extends Required<Pick<DescriptorOptions, 'owned' | 'from' | 'readsAhead'>> {
  /** The maximum bytes of a read. Reads into a caller's memory have no limit unless bytes are read ahead. */
  readonly bytes: number;
}

function blockingReader(fd: number, label: string, { owned, from, bytes, readsAhead }: BlockingReads): ByteSource {
  /** For callers without memory of their own. */
  let buffer: Buffer | null = null;
  let spare: Buffer | null = null;
  let at = from;
  let ahead: Promise<Uint8Array> | null = null;
  let reading = false;
  let closed = false;
  const closeOwned = (): void => {
    if (owned) closeQuietly(fd);
  };
  const load = async (memory: Uint8Array): Promise<Uint8Array> => {
    reading = true;
    const count = await readSome(fd, memory, at)
      .catch((error: unknown) => {
        throw systemError('read-failed', 'read failed', label, error);
      })
      .finally(() => {
        reading = false;
        if (closed) closeOwned();
      });
    if (at !== null) at += count;
    return memory.subarray(0, count);
  };
  /** Where the bytes after `loaded` may be read, while the caller works on these; null: nowhere. */
  const roomAfter = (loaded: Uint8Array, target: Uint8Array | undefined): Uint8Array | null => {
    // A short read is the last one.
    if (!readsAhead || closed || loaded.length < bytes) return null;
    if (loaded.buffer === target?.buffer && loaded.byteOffset === target.byteOffset)
      return target.subarray(loaded.length, loaded.length + bytes);
    if (target !== undefined) return null;
    [buffer, spare] = [spare ?? Buffer.allocUnsafe(bytes), buffer];
    return buffer;
  };
  return {
    read: async (target) => {
      // The descriptor may belong to another file by now.
      if (closed) return null;
      const memory =
        target === undefined ? (buffer ??= Buffer.allocUnsafe(bytes)) : readsAhead ? target.subarray(0, bytes) : target;
      const loaded = await (ahead ?? load(memory));
      ahead = null;
      const room = roomAfter(loaded, target);
      if (room !== null && room.length > 0) {
        ahead = load(room);
        // Handled by the next read.
        quiet(ahead);
      }
      return loaded.length === 0 ? null : loaded;
    },
    close: () => {
      if (closed) return;
      // If a descriptor is closed during a read, or twice, it may belong to another file by then.
      closed = true;
      if (!reading) closeOwned();
    },
  };
}

function socketReader(fd: number, label: string, { owned }: Pick<DescriptorOptions, 'owned'>): ByteSource {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let wake: (() => void) | undefined;
  /** Bytes not yet returned by read(). The socket may begin to read as soon as it exists. */
  let arrived: Uint8Array = NOTHING;
  /** The caller's memory after the bytes that have arrived. */
  let room: Uint8Array = NOTHING;
  let ended = false;
  let failure: Error | undefined;
  const socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer: () => (room.length > 0 ? room : buffer),
      callback: (count: number, memory: Uint8Array) => {
        arrived = new Uint8Array(memory.buffer, memory.byteOffset - arrived.length, arrived.length + count);
        room = room.subarray(count);
        wake?.();
        return memory !== buffer && room.length > 0; // otherwise it stops until the next read()
      },
    },
  } as unknown as SocketConstructorOpts);
  socket.on('end', () => {
    ended = true;
    wake?.();
  });
  socket.on('error', (error) => {
    failure = error;
    wake?.();
  });
  return {
    read: async (target = NOTHING) => {
      room = target.subarray(arrived.length);
      if (arrived.length === 0 && !ended && failure === undefined) {
        const ready = new Promise<void>((resolve) => {
          wake = resolve;
        });
        socket.resume();
        await ready;
        wake = undefined;
      }
      if (failure !== undefined) throw systemError('read-failed', 'read failed', label, failure);
      const bytes = arrived;
      arrived = NOTHING;
      return bytes.length > 0 ? bytes : null;
    },
    close: () => {
      if (owned || ended) socket.destroy();
      else socket.unref();
    },
  };
}
