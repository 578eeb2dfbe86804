/**
 * Sources of bytes, and sources made of others. A source is read from beginning to end: a file, a pipe, a decompressed
 * text, a slice of a run. Bytes that can be read at any place are a RandomAccess, which `sequential` makes a source.
 */
import { copyBytes } from './memory.js';
import { untilAborted } from './promises.js';

export interface ByteSource {
  /**
   * The next bytes, at least one; null at the end. Valid until the next call. `target` is memory that may receive them.
   * The source may go on to fill it, so as long as `target` has room after the bytes returned so far, wherever these
   * lie, the next call must be given that room.
   */
  read(target?: Uint8Array): Promise<Uint8Array | null>;
  /** May be called while a read is pending. */
  close(): void;
}

/** The properties of the memory that bytes are read into. */
export interface TargetMemory {
  /** Whether it is slow to read (mapped upload memory), so that it must be written and never read. */
  readonly writeOnly?: boolean;
}

/** Bytes that can be read at any place. */
export interface RandomAccess {
  /** Fills `target` with the bytes from `byte` on. */
  readAt(byte: number, target: Uint8Array, memory?: TargetMemory): Promise<void>;
}

/** Bytes per read of a source whose caller has no memory for them. */
const READ_BYTES = 1 << 20;

/** Bytes [from, to) of `text`, from beginning to end. `closed` is called by the first close(). */
export function sequential(text: RandomAccess, from: number, to: number, closed: () => void): ByteSource {
  let at = from;
  let isClosed = false;
  return {
    read: async (target) => {
      if (at === to) return null;
      const bytes = target?.subarray(0, to - at) ?? Buffer.allocUnsafe(Math.min(READ_BYTES, to - at));
      await text.readAt(at, bytes);
      at += bytes.length;
      return bytes;
    },
    close: () => {
      if (!isClosed) closed();
      isClosed = true;
    },
  };
}

/** No bytes. */
export const EMPTY_SOURCE: ByteSource = { read: async () => null, close: () => undefined };

/** `first`, which was read already and may be empty, and then all of `rest`. */
export function withFirst(first: Uint8Array, rest: ByteSource): ByteSource {
  let next: Uint8Array | null = first.length === 0 ? null : first;
  const read = async (target?: Uint8Array): Promise<Uint8Array | null> => {
    if (next === null) return rest.read(target);
    const bytes = next;
    next = null;
    return bytes;
  };
  return { read, close: () => rest.close() };
}

/** A source of what `pieces` yields. Each piece is valid until the next one is requested. */
export function sourceOf(pieces: AsyncGenerator<Uint8Array, void>, close: () => void): ByteSource {
  return { read: async () => (await pieces.next()).value ?? null, close };
}

/** All bytes of `source`, or the bytes up to the block after which `isEnough` is true. Closes the source. */
export async function readWhole(
  source: ByteSource,
  isEnough: (block: Buffer) => boolean = () => false,
): Promise<Buffer> {
  const blocks: Buffer[] = [];
  try {
    for (let bytes = await source.read(); bytes !== null; bytes = await source.read()) {
      const block = Buffer.from(bytes);
      blocks.push(block);
      if (isEnough(block)) break;
    }
  } finally {
    source.close();
  }
  return Buffer.concat(blocks);
}

/** Two sources of the same bytes: `look` reads their beginning and is not closed; then `again` reads them all. */
export function lookAhead(source: ByteSource): { readonly look: ByteSource; readonly again: ByteSource } {
  const kept: Uint8Array[] = [];
  const read = async (): Promise<Uint8Array | null> => {
    const bytes = await source.read();
    if (bytes !== null) kept.push(new Uint8Array(bytes));
    return bytes;
  };
  return {
    look: { read, close: () => undefined },
    again: { read: async (target) => kept.shift() ?? source.read(target), close: () => source.close() },
  };
}

/** `source`, with reads that reject with the reason of `signal` once that is aborted. */
export function abortable(source: ByteSource, signal: AbortSignal): ByteSource {
  return { read: (target) => untilAborted(signal, source.read(target)), close: () => source.close() };
}

/** A source that fills memory, however many bytes its source returns at once. */
export class FillingSource implements ByteSource {
  private readonly source: ByteSource;
  /** Bytes read that did not fit into the memory. */
  private left: Uint8Array = new Uint8Array(0);
  private isClosed = false;

  constructor(source: ByteSource) {
    this.source = source;
  }

  async read(target?: Uint8Array): Promise<Uint8Array | null> {
    const { left } = this;
    if (left.length === 0) return this.source.read(target);
    this.left = left.subarray(left.length);
    return left;
  }

  /** Fills `target`. Resolves to fewer bytes only at the end of the source, or once it is closed. */
  async fill(target: Uint8Array): Promise<number> {
    let done = 0;
    while (done < target.length && !this.isClosed) {
      const room = target.subarray(done);
      const bytes = await this.read(room);
      if (bytes === null) break;
      const part = bytes.subarray(0, room.length);
      if (part.buffer !== room.buffer || part.byteOffset !== room.byteOffset) copyBytes(part, room);
      this.left = bytes.subarray(part.length);
      done += part.length;
    }
    return done;
  }

  close(): void {
    this.isClosed = true;
    this.source.close();
  }
}
