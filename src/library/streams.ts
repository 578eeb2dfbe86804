/** Streams and iterables of the caller as inputs of a job. */
import { finished, PassThrough, pipeline, type Readable, type Writable } from 'node:stream';
import { types } from 'node:util';
import type { Destination } from '../output/writers.js';
import type { ByteSource } from '../system/byte-source.js';
import { GpusortError, systemError } from '../system/errors.js';
import { rest, untilAborted } from '../system/promises.js';
import { isPath } from './options.js';
import type { PathLike, SortInput, SortOutput, StreamInput, WebReadable, WebWritable } from './types.js';

/** A source of blocks, which it returns unchanged. */
interface BlockSupply {
  /** The next blocks, at least one; undefined at the end. */
  next(): Promise<readonly unknown[] | undefined>;
  /** Releases the source, even while `next` waits. */
  close(): void;
}

/** Small blocks of an iterable are read together, up to this size. */
const GATHERED_BYTES = 64 << 10;

/** The names of the files; null: the input is a stream. Throws `usage`. */
export function inputPaths(input: SortInput): readonly PathLike[] | null {
  if (isPath(input)) return [input];
  if (!Array.isArray(input)) return null;
  const paths = input as readonly unknown[];
  if (paths.length === 0) throw new GpusortError('usage', 'no input');
  if (!paths.every(isPath)) throw new GpusortError('usage', 'an array of inputs may hold only file names');
  return paths;
}

/** A reader of a stream. Its errors are `read-failed` with the stream's own error as their cause, or `usage`. */
export function streamReader(input: StreamInput): ByteSource {
  const source = openSource(input);
  const encoder = new BlockEncoder();
  let isClosed = false;
  return {
    read: async () => {
      for (;;) {
        // Lets events such as an abort through, even if blocks are always available.
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

function openSource(input: StreamInput): BlockSupply {
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

function nodeSource(given: Readable): BlockSupply {
  // Streams from packages may have no method of a Readable except `pipe`. Their errors arrive at the end of the
  // pipeline.
  const stream = typeof given.iterator === 'function' ? given : pipeline(given, new PassThrough(), () => undefined);
  const { next } = asyncSource(stream.iterator({ destroyOnReturn: false }));
  return {
    next,
    close: () => {
      // The sort has ended: failures of a stream that is no longer read do not matter.
      if (!stream.readableEnded) stream.on('error', () => undefined).destroy();
    },
  };
}

function webSource(stream: WebReadable): BlockSupply {
  const reader = stream.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? undefined : [value];
    },
    close: () => void reader.cancel().catch(() => undefined),
  };
}

function asyncSource(iterator: AsyncIterator<unknown>): BlockSupply {
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

function iterableSource(iterator: Iterator<Uint8Array | string>): BlockSupply {
  let ended = false;
  return {
    next: async () => {
      const blocks: unknown[] = [];
      for (let bytes = 0; bytes < GATHERED_BYTES && !ended; ) {
        const { done, value } = iterator.next();
        if (done === true) ended = true;
        else blocks.push(value);
        // A value of any other type has no length, and is refused at once.
        bytes += (value as Uint8Array | string | undefined)?.length ?? GATHERED_BYTES;
      }
      return blocks.length === 0 ? undefined : blocks;
    },
    close: () => {
      if (!ended) returnQuietly(iterator);
    },
  };
}

/** Ends an iteration. An iterator that waits for its next block returns after that block; this does not wait for it. */
async function returnQuietly(iterator: { return?(): unknown }): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    /* the reason why the sort ended is already reported */
  }
}

/** Encodes text as UTF-8. A surrogate pair may be cut between two blocks. */
class BlockEncoder {
  /** The first half of a pair. */
  private half = '';

  /** Throws `usage` if a block is neither text nor bytes. */
  encode(block: unknown): Buffer {
    if (isBytes(block)) return this.half === '' ? Buffer.from(block) : Buffer.concat([this.end(), block]);
    if (typeof block !== 'string')
      throw new GpusortError('usage', `a block of the input is neither text nor bytes: ${typeof block}`);
    const text = this.half + block;
    const cut = isFirstHalf(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
    this.half = text.slice(cut);
    return Buffer.from(text.slice(0, cut));
  }

  /** The bytes for a first half without a second one: those of U+FFFD. */
  end(): Buffer {
    const last = Buffer.from(this.half);
    this.half = '';
    return last;
  }
}

/** Also accepts arrays from another V8 context: tests in a simulated browser have their own `Uint8Array`. */
const isBytes = (value: unknown): value is Uint8Array => types.isUint8Array(value);

const isFirstHalf = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

/** The target of the output of one job. */
export interface OutputStream {
  readonly destination: Destination;
  /** Destroys the stream after a failure, with its error. */
  fail(error: unknown): void;
}

/** A stream of the caller. */
interface CallerStream {
  /** Resolves when the stream has room for more. `block`, with all of its memory, then belongs to the stream. */
  write(block: Uint8Array): Promise<void>;
  end(): Promise<void>;
  destroy(error: unknown): void;
}

const LABEL = 'the output stream';
/** Bytes of a copy: large enough that copies cost little, small enough that they are collected while they are young. */
const BLOCK_BYTES = 256 << 10;

/**
 * A stream of the caller as the output of a job. A block is written once the stream has room for it, as a copy, because
 * the sort uses its memory again. If the sort cannot complete a stream, it destroys it with the error, as
 * stream.pipeline does. Throws `usage` if `output` is no stream, `write-failed` if it cannot be written.
 */
export function openOutput(output: SortOutput, signal?: AbortSignal): OutputStream {
  const target = openTarget(output);
  /** Settles when everything so far is written. */
  let writing: Promise<void> = Promise.resolve();
  const during = (work: Promise<void>): Promise<void> =>
    (signal === undefined ? work : untilAborted(signal, work)).catch((error: unknown) => {
      throw signal?.aborted || error instanceof GpusortError
        ? error
        : systemError('write-failed', 'write failed', LABEL, error);
    });
  const write = async (block: Uint8Array): Promise<void> => {
    for (let at = 0; at < block.length; at += BLOCK_BYTES)
      await during(target.write(new Uint8Array(block.subarray(at, at + BLOCK_BYTES))));
  };
  let isOver = false;
  return {
    destination: {
      label: LABEL,
      file: null,
      expect: () => {},
      write: (block) => {
        const written = writing.then(() => write(block));
        writing = written;
        written.catch(() => undefined);
        return written;
      },
      complete: async () => {
        await writing;
        await during(target.end());
        isOver = true;
      },
      check: () => {},
      place: async () => {},
      keep: () => null,
      abort: async () => {},
    },
    fail: (error) => {
      if (!isOver) target.destroy(error);
      isOver = true;
    },
  };
}

function openTarget(output: SortOutput): CallerStream {
  const { write, destroy, getWriter } = (isPath(output) ? {} : (output ?? {})) as Partial<Writable & WebWritable>;
  try {
    if (typeof write === 'function' && typeof destroy === 'function') return nodeTarget(output as Writable);
    if (typeof getWriter === 'function') return webTarget(output as WebWritable);
  } catch (error) {
    throw systemError('write-failed', 'write failed', LABEL, error);
  }
  throw new GpusortError('usage', 'the output is neither a file name nor a stream', {
    hint: 'To get the output as a stream, call sorted(input, settings).',
  });
}

function nodeTarget(stream: Writable): CallerStream {
  let failure: { readonly error: unknown } | undefined;
  /** Wakes the write that waits for room. */
  let wake = (): void => {};
  const forget = finished(stream, { readable: false }, (error) => {
    failure = { error: isClosed(error) ? closed(error) : error };
    wake();
  });
  const throwIfOver = (): void => {
    if (failure !== undefined) throw failure.error ?? closed(null);
  };
  /** Standard output and standard error stay open, as in stream.pipeline. */
  const stays = stream === process.stdout || stream === process.stderr;
  return {
    write: async (block) => {
      throwIfOver();
      // Streams of objects pass blocks on unchanged.
      if (stream.write(Buffer.from(block.buffer))) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        stream.once('drain', resolve);
      });
      stream.off('drain', wake);
      throwIfOver();
    },
    end: () =>
      new Promise((resolve, reject) => {
        const settle = (): void => {
          forget();
          if (failure?.error == null) resolve();
          else reject(failure.error);
        };
        if (failure !== undefined) settle();
        else if (stays) stream.write('', settle);
        else {
          wake = settle;
          stream.end();
        }
      }),
    destroy: (error) => {
      // Without a listener, the error of the sort, which is already reported, would end the process.
      if (!stays) stream.on('error', () => undefined);
      forget();
      if (!stays) stream.destroy(error instanceof Error ? error : undefined);
    },
  };
}

function webTarget(stream: WebWritable): CallerStream {
  const writer = stream.getWriter();
  return {
    write: async (block) => {
      await writer.ready;
      // A failure shows at the next call.
      writer.write(block).catch(() => undefined);
    },
    end: () => writer.close(),
    destroy: (error) => void writer.abort(error).catch(() => undefined),
  };
}

const isClosed = (error: unknown): boolean =>
  ['ERR_STREAM_PREMATURE_CLOSE', 'EPIPE'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** The error of an output that was closed early. */
export function closed(cause: unknown): GpusortError {
  return new GpusortError('broken-pipe', `write failed: ${LABEL}: it was closed before the output was complete`, {
    cause,
  });
}
