/**
 * Sources of bytes, and sources made of others. A source is read from beginning to end: a file, a pipe, a decompressed
 * text, a slice of a run. Bytes that can be read at any place are a RandomAccess, which `sequential` makes a source.
 */
import { untilAborted } from './promises.js';

export interface ByteSource {
  /**
   * The next bytes, at least one; null at the end. Valid until the next call. `target` is memory that may take them,
   * and that the source goes on to fill: as long as there is room in it after the bytes returned so far, wherever they
   * lie, the next call must be given that room.
   */
  read(target?: Uint8Array): Promise<Uint8Array | null>;
  /** May be called while a read is pending, and again. */
  close(): void;
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

/** All bytes of `source`, or all up to the first block that `isEnough`. Closes it. */
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

/** Two sources of the same bytes: `look` reads their beginning, and is not to be closed; then `again` reads them all. */
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
