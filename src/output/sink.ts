/** The destination of the ordered stream: standard output, a pipe or a device, or -o FILE. Knows bytes, not records. */
import { fileSystem } from '../file-system.js';
import type { SortJob } from '../job.js';
import { systemError } from '../report/errors.js';
import type { Recorder } from '../report/stats.js';
import type { Destination } from './destination.js';
import { fileDestination } from './file-sink.js';
import { openTarget } from './target.js';
import { orderedWriter } from './writers.js';

export interface Sink {
  /** A descriptor that reads back what was written, at the same offsets; null if that is impossible. */
  readonly file: number | null;
  /**
   * Announces, before the first write, that so many bytes will come and that there is time until then; 0: no time is
   * left.
   */
  expect(bytes: number): void;
  /** Writes the next bytes. They may be reused once the promise resolves. Calls need not wait for each other. */
  write(block: Uint8Array): Promise<void>;
  /** Restarts the stream, once no write is under way. The bytes already written are then skipped. */
  restart(): void;
  /** Completes the output: FILE has it afterwards. */
  finish(): Promise<void>;
  /** Abandons the output: FILE keeps what it had. */
  abort(): Promise<void>;
}

const STANDARD_OUTPUT = 1;

/** Opens the output of a job before anything is read, so that an output that cannot be written is refused at once. */
export async function openSink(
  { output, temporaryDirectories, sync }: Pick<SortJob, 'output' | 'temporaryDirectories' | 'sync'>,
  recorder: Recorder,
): Promise<Sink> {
  if (output === null)
    return sinkTo(
      streamDestination(STANDARD_OUTPUT, "'standard output'", async () => {}, sync, recorder),
      recorder,
    );
  const target = await openTarget(output);
  if (target.kind === 'stream')
    return sinkTo(
      streamDestination(target.fd, target.label, () => target.close(), sync, recorder),
      recorder,
    );
  try {
    return sinkTo(
      fileDestination(
        target,
        temporaryDirectories.map((name) => name ?? Buffer.from('/tmp')),
        sync,
        recorder,
      ),
      recorder,
    );
  } catch (error) {
    if (target.kind === 'file')
      await target.close().catch(() => {
        /* nothing was written */
      });
    throw error;
  }
}

/** Writes at the descriptor's own position. */
function streamDestination(
  fd: number,
  label: string,
  close: () => Promise<void>,
  sync: boolean,
  recorder: Recorder,
): Destination {
  return {
    file: null,
    expect: () => {},
    write: orderedWriter(fd, label, recorder),
    finish: async () => {
      try {
        if (sync && fileSystem.fstatSync(fd).isFile()) await fileSystem.fsync(fd);
        await close();
      } catch (error) {
        throw systemError(
          'write-failed',
          'write failed',
          label,
          error,
          'Check the disk: all data was written, but may not be on it.',
        );
      }
    },
    abort: () =>
      close().catch(() => {
        /* the original error is reported */
      }),
  };
}

function sinkTo(destination: Destination, recorder: Recorder): Sink {
  let written = 0;
  let skip = 0;
  return {
    file: destination.file,
    expect: destination.expect,
    write: async (block) => {
      const skipped = Math.min(skip, block.length);
      skip -= skipped;
      const rest = block.subarray(skipped);
      if (rest.length === 0) return;
      written += rest.length;
      await destination.write(rest);
      recorder.advance('writing', rest.length);
    },
    restart: () => {
      skip = written;
    },
    finish: () => destination.finish(written),
    abort: () => destination.abort(),
  };
}
