/**
 * Streams of the caller as the output of a job. A block is written once the stream has room for it, as a copy, since
 * the sort uses its memory again. A stream that the sort cannot complete is destroyed with the error, like by
 * stream.pipeline.
 */
import { finished, type Writable } from 'node:stream';
import type { Destination } from '../output/destination.js';
import { GpusortError, systemError } from '../system/errors.js';
import { untilAborted } from '../system/promises.js';
import { isPath } from './options.js';
import type { SortOutput, WebWritable } from './types.js';

/** What takes the output of one job. */
export interface OutputStream {
  readonly destination: Destination;
  /** Destroys the stream after a failure, with its error. */
  fail(error: unknown): void;
}

/** A stream of the caller. */
interface Target {
  /** Resolves when the stream has room for more. `block` is the stream's, with all of its memory. */
  write(block: Uint8Array): Promise<void>;
  end(): Promise<void>;
  destroy(error: unknown): void;
}

const LABEL = 'the output stream';
/** Bytes of a copy: large enough to cost little, small enough to be collected while it is young. */
const BLOCK_BYTES = 256 << 10;

/** Throws `usage` if `output` is no stream, `write-failed` if it cannot be written. */
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

function openTarget(output: SortOutput): Target {
  const { write, destroy, getWriter } = (isPath(output) ? {} : (output ?? {})) as Partial<Writable & WebWritable>;
  try {
    if (typeof write === 'function' && typeof destroy === 'function') return nodeTarget(output as Writable);
    if (typeof getWriter === 'function') return webTarget(output as WebWritable);
  } catch (error) {
    throw systemError('write-failed', 'write failed', LABEL, error);
  }
  throw new GpusortError('usage', 'the output is neither a file name nor a stream');
}

function nodeTarget(stream: Writable): Target {
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
      // Streams of objects pass on what they get.
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
      // Without a listener, the error of the sort, which is reported already, would end the process.
      if (!stays) stream.on('error', () => undefined);
      forget();
      if (!stays) stream.destroy(error instanceof Error ? error : undefined);
    },
  };
}

function webTarget(stream: WebWritable): Target {
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

function closed(cause: unknown): GpusortError {
  return new GpusortError('broken-pipe', `write failed: ${LABEL}: it was closed before the output was complete`, {
    cause,
  });
}
