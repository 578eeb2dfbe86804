/** Streams and iterables of the caller as inputs of a job. */
import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { StreamReader } from '../input/stream.js';
import { GpusortError, systemError } from '../system/errors.js';
import { rest } from '../system/promises.js';
import { BlockEncoder, isBytes } from './block-encoder.js';
import { isPath } from './options.js';
import type { PathLike, SortInput, StreamInput, WebReadable } from './types.js';

/** Gives blocks as they are. */
interface Source {
  /** The next blocks, at least one; undefined at the end. */
  next(): Promise<readonly unknown[] | undefined>;
  /** Releases the source, also while `next` waits. */
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

/** A reader of a stream. Its errors are `read-failed` with the stream's own error as their cause, or `usage`. */
export function streamReader(input: StreamInput): StreamReader {
  const source = openSource(input);
  const encoder = new BlockEncoder();
  let isClosed = false;
  return {
    read: async () => {
      for (;;) {
        // Blocks that are there already would let no event through, such as an abortion.
        await rest();
        const blocks = await source.next().catch(failed);
        const encoded = blocks?.map((block) => encoder.encode(block)) ?? [encoder.end()];
        const bytes = encoded.length === 1 ? encoded[0]! : Buffer.concat(encoded);
        if (bytes.length > 0) return bytes;
        if (blocks === undefined) return null;
      }
    },
    close: () => {
      if (!isClosed) source.close();
      isClosed = true;
    },
  };
}

function failed(error: unknown): never {
  throw systemError('read-failed', 'read failed', '-', error);
}

function openSource(input: StreamInput): Source {
  try {
    if (isReadable(input)) return nodeSource(input);
    if (typeof (input as WebReadable)?.getReader === 'function') return webSource(input as WebReadable);
    const blocks = input as Partial<Iterable<Uint8Array | string> & AsyncIterable<Uint8Array | string>>;
    if (!isBytes(input)) {
      if (typeof blocks?.[Symbol.asyncIterator] === 'function') return asyncSource(blocks[Symbol.asyncIterator]!());
      if (typeof blocks?.[Symbol.iterator] === 'function') return iterableSource(blocks[Symbol.iterator]!());
    }
  } catch (error) {
    failed(error);
  }
  throw new GpusortError('usage', 'the input is neither a file name nor a stream nor an iterable');
}

function isReadable(input: unknown): input is Readable {
  const { pipe, destroy } = (input ?? {}) as Partial<Readable>;
  return typeof pipe === 'function' && typeof destroy === 'function';
}

function nodeSource(given: Readable): Source {
  // Streams of packages may have nothing of a Readable but `pipe`. Their errors arrive at the other end.
  const stream = typeof given.iterator === 'function' ? given : pipeline(given, new PassThrough(), () => undefined);
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
      return done ? undefined : [value];
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
      return done === true ? undefined : [value];
    },
    close: () => {
      if (!ended) returnQuietly(iterator);
    },
  };
}

function iterableSource(iterator: Iterator<Uint8Array | string>): Source {
  let ended = false;
  return {
    next: async () => {
      const blocks: unknown[] = [];
      for (let bytes = 0; bytes < GATHERED_BYTES && !ended; ) {
        const { done, value } = iterator.next();
        if (done === true) ended = true;
        else blocks.push(value);
        // What is no block has no length, and is refused at once.
        bytes += (value as Uint8Array | string | undefined)?.length ?? GATHERED_BYTES;
      }
      return blocks.length === 0 ? undefined : blocks;
    },
    close: () => {
      if (!ended) returnQuietly(iterator);
    },
  };
}

/** Ends an iteration. An iterator that waits for its next block returns after it: nobody waits for that here. */
async function returnQuietly(iterator: { return?(): unknown }): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    /* why the sort ended is reported already */
  }
}
