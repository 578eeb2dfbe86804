/** Streams and iterables of the caller as inputs of a job. What they give is copied: some readers change it in place. */
import type { Readable } from 'node:stream';
import type { StreamReader } from '../input/stream.js';
import { rest } from '../promises.js';
import { GpusortError, systemError } from '../report/errors.js';
import { isPath } from './options.js';
import type { PathLike, SortInput, StreamInput, WebReadable } from './types.js';

/** The next block, undefined at the end. */
interface Source {
  next(): Promise<unknown>;
  /** Releases the source, also while `next` waits. Never fails. */
  close(): void;
}

/** Small blocks of an iterable are read together, up to this size. */
const GATHERED_BYTES = 64 << 10;

/** The names of files; null: it is a stream. Throws `usage`. */
export function inputPaths(input: SortInput): readonly PathLike[] | null {
  if (isPath(input)) return [input];
  if (!Array.isArray(input)) return null;
  const paths = input as readonly unknown[];
  if (paths.length === 0) throw new GpusortError('usage', 'no input');
  if (!paths.every(isPath)) throw new GpusortError('usage', 'an array of inputs holds names of files only');
  return paths;
}

/** A reader of a stream. Its errors are `read-failed` with the stream's own error as their cause. */
export function streamReader(input: StreamInput): StreamReader {
  const source = openSource(input);
  let isClosed = false;
  return {
    read: async () => {
      for (;;) {
        // Blocks that are there already would let no event through, such as an abortion.
        await rest();
        const block = await source.next().catch((error: unknown) => {
          throw systemError('read-failed', 'read failed', '-', error);
        });
        if (block === undefined) return null;
        if (typeof block !== 'string' && !(block instanceof Uint8Array))
          throw new GpusortError('usage', `a block of the input is neither text nor bytes: ${typeof block}`);
        // Buffer.from copies.
        if (block.length > 0) return Buffer.from(block as Uint8Array);
      }
    },
    close: () => {
      if (!isClosed) source.close();
      isClosed = true;
    },
  };
}

function openSource(input: StreamInput): Source {
  if (isReadable(input)) return nodeSource(input);
  if (typeof (input as WebReadable)?.getReader === 'function') return webSource(input as WebReadable);
  const blocks = input as Partial<Iterable<Uint8Array | string> & AsyncIterable<Uint8Array | string>>;
  if (!(input instanceof Uint8Array)) {
    if (typeof blocks?.[Symbol.asyncIterator] === 'function') return asyncSource(blocks[Symbol.asyncIterator]!());
    if (typeof blocks?.[Symbol.iterator] === 'function') return iterableSource(blocks[Symbol.iterator]!());
  }
  throw new GpusortError('usage', 'the input is neither a file name nor a stream nor an iterable');
}

function isReadable(input: unknown): input is Readable {
  const { pipe, destroy } = (input ?? {}) as Partial<Readable>;
  return typeof pipe === 'function' && typeof destroy === 'function';
}

function nodeSource(stream: Readable): Source {
  const { next } = asyncSource(stream.iterator({ destroyOnReturn: false }));
  return {
    next,
    close: () => {
      // The caller knows why: a stream that nobody reads any more may fail as it likes.
      if (!stream.readableEnded) stream.on('error', () => undefined).destroy();
    },
  };
}

function webSource(stream: WebReadable): Source {
  const reader = stream.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? undefined : value;
    },
    close: () => void reader.cancel().catch(() => undefined),
  };
}

function asyncSource(iterator: AsyncIterator<unknown>): Source {
  let ended = false;
  return {
    next: async () => {
      const { done, value } = await iterator.next();
      ended ||= done === true;
      return done === true ? undefined : value;
    },
    // An iterator that waits for its next block returns after it: nobody waits for that here.
    close: () => void (ended ? undefined : iterator.return?.().catch(() => undefined)),
  };
}

function iterableSource(iterator: Iterator<Uint8Array | string>): Source {
  return {
    next: async () => {
      const blocks: Buffer[] = [];
      for (let bytes = 0; bytes < GATHERED_BYTES; ) {
        const { done, value } = iterator.next();
        if (done === true) return blocks.length === 0 ? undefined : Buffer.concat(blocks);
        if (typeof value !== 'string' && !(value instanceof Uint8Array)) return value;
        blocks.push(Buffer.from(value as Uint8Array));
        bytes += blocks.at(-1)!.length;
      }
      return Buffer.concat(blocks);
    },
    close: () => void iterator.return?.(),
  };
}
