/** The destination of the ordered stream: standard output, a pipe or a device, or -o FILE. Knows bytes, not records. */
import { textOf } from '../codecs/bgzf.js';
import type { BlockOutput } from '../contract/bam-sort.js';
import type { BlockWriter } from '../contract/engine.js';
import type { FileName, InputRequest, OutputCompression, OutputRequest, Resources } from '../job/job.js';
import { displayName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import { GpusortError, systemError } from '../system/errors.js';
import { fileSystem, isTerminal } from '../system/file-system.js';
import { quiet } from '../system/promises.js';
import { type RestartableWriter, restartable } from '../system/restartable.js';
import { compressedDestination } from './compress.js';
import { convertedDestination } from './convert.js';
import { fileDestination } from './file-sink.js';
import { type IndexFile, indexBeside } from './index-file.js';
import { splitDestination } from './mates.js';
import { placeAll } from './put-in-place.js';
import { readyPages } from './ready-pages.js';
import type { Saving } from './saving.js';
import { type FileTarget, type NewTarget, OpenOutputs, openTarget, type Target } from './target.js';
import { type Destination, orderedWriter, STANDARD_OUTPUT_LABEL } from './writers.js';

export interface Sink {
  /** A descriptor that reads back the written bytes, at the same offsets; null if that is impossible. */
  readonly file: number | null;
  /**
   * The descriptor of the output, if it is a single regular file with the sorted text itself; null: it is a pipe or a
   * device, or is compressed or converted, or consists of several files.
   */
  readonly regularFile: number | null;
  /** Announces, before the first write, the number of bytes to come; 0: unknown. May be called again. */
  expect(bytes: number): void;
  /** Writes the next bytes. They may be reused once the promise resolves. Calls need not wait for each other. */
  write(block: Uint8Array): Promise<void>;
  /** The same for the file of --dupes-output; null: there is none. */
  readonly duplicates: BlockWriter | null;
  /**
   * Writes blocks of BGZF in place of text. Their text counts as written, but is not reported. Null: the output is not
   * only BGZF, or an earlier attempt has written a part of it, which comes again as text.
   */
  readonly blocks: BlockOutput | null;
  /** Restarts the streams. No write may be under way. The bytes already written are then skipped. */
  restart(): void;
  /** Whether `restart` may be called: not after blocks whose text would come again in another form. */
  readonly canRestart: boolean;
  /** Completes the output: afterwards it is in FILE. */
  finish(): Promise<void>;
  /** Abandons the output: FILE keeps its contents. */
  abort(): Promise<void>;
}

const STANDARD_OUTPUT = 1;

/** The part of a job that a sink sees. */
interface SinkJob {
  readonly input: Pick<InputRequest, 'genomics' | 'files'>;
  readonly output: Pick<
    OutputRequest,
    'file' | 'mates' | 'duplicates' | 'sync' | 'convertsTo' | 'compression' | 'index'
  >;
  readonly resources: Pick<Resources, 'temporaryDirectories'>;
}

interface SinkOptions {
  /** The number of threads that compress and convert. */
  readonly threads?: number;
  /** Receives the sizes of compressed files. */
  readonly saving?: Saving | null;
  /** The file of -o, if it is already open. Opening its name again might open another file. */
  readonly target?: FileTarget | NewTarget | null;
  /** Replaces standard output. */
  readonly standard?: Destination | null;
}

/**
 * Opens the output of a job before anything is read: an output that cannot be written is refused at once.
 */
export async function openSink(
  job: SinkJob,
  recorder: Recorder,
  { threads = 0, saving = null, target = null, standard = null }: SinkOptions = {},
): Promise<Sink> {
  const { file, compression, convertsTo, mates, duplicates, index } = job.output;
  const names = [file, ...mates];
  const opened: Destination[] = [];
  const outputs = names.length > 1 || index !== null || duplicates !== null ? new OpenOutputs() : null;
  const open = async (name: FileName, of: SinkJob = job): Promise<Destination> => {
    const destination =
      name === null
        ? (standard ?? standardOutput(of, recorder, outputs))
        : await fileOutput((name === file ? target : null) ?? (await openTarget(name)), of, recorder, outputs);
    opened.push(destination);
    return destination;
  };
  const compressed = (one: Destination, form: OutputCompression | null, beside: IndexFile | null): Destination =>
    form === null ? one : compressedDestination(one, { ...form, threads }, beside, saving);
  try {
    const files: Destination[] = [];
    for (const name of names) files.push(await open(name));
    const second = duplicates && (await open(duplicates.file, { ...job, output: { ...job.output, index: null } }));
    const beside =
      index === null ? null : await indexBeside(convertsTo ?? job.input.genomics!.format, index, file!, open);
    const whole = splitDestination(files.map((one) => compressed(one, compression, beside)));
    const others = second && compressed(second, duplicates.compression, null);
    if (convertsTo === null) return sinkTo(whole, others, recorder);
    const label = displayName(job.input.files[0]);
    return sinkTo(convertedDestination(whole, { to: convertsTo, threads, label }), others, recorder);
  } catch (error) {
    for (const destination of opened) await destination.abort();
    throw error;
  }
}

/** The destination that is standard output. `outputs`: those of the job, if it has several. */
function standardOutput(
  { output: { sync, compression } }: SinkJob,
  recorder: Recorder,
  outputs: OpenOutputs | null,
): Destination {
  const label = STANDARD_OUTPUT_LABEL;
  if (compression !== null && isTerminal(STANDARD_OUTPUT))
    throw new GpusortError('cannot-write', 'compressed output is not written to a terminal', {
      hint: 'Write it to a pipe, or name a file with -o.',
    });
  outputs?.add({ fd: STANDARD_OUTPUT, label });
  return streamDestination(STANDARD_OUTPUT, label, async () => {}, sync, recorder);
}

/** The destination that is a file, which it closes. */
async function fileOutput(
  target: Target,
  { output: { sync, index }, resources: { temporaryDirectories } }: SinkJob,
  recorder: Recorder,
  outputs: OpenOutputs | null,
): Promise<Destination> {
  try {
    outputs?.add(target);
    if (index !== null && (target.kind === 'stream' || (target.kind === 'file' && target.path === null)))
      throw new GpusortError('cannot-write', `${target.label} is not a regular file, which --index needs`, {
        hint: 'Name a file with -o, or leave out --index.',
      });
    if (target.kind === 'stream')
      return streamDestination(target.fd, target.label, () => target.close(), sync, recorder);
    return fileDestination(
      target,
      temporaryDirectories.map((directory) => directory ?? Buffer.from('/tmp')),
      { sync, recorder },
    );
  } catch (error) {
    if (target.kind !== 'new')
      // Nothing was written.
      await quiet(target.close());
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
  const writeBlock = orderedWriter(fd, label, recorder);
  /** Settles once the descriptor may be written. */
  let ready: Promise<void> | undefined;
  return {
    label,
    file: null,
    regularFile: isRegular(fd) ? fd : null,
    expect: (bytes) => {
      ready ??= readyPages(fd, bytes);
    },
    write: async (block) => {
      await ready;
      await writeBlock(block);
    },
    complete: async () => {
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
    check: () => {},
    place: async () => {},
    keep: () => null,
    abort: () =>
      // The original error is reported.
      quiet(close()),
  };
}

function isRegular(fd: number): boolean {
  try {
    return fileSystem.fstatSync(fd).isFile();
  } catch {
    return false; // writing reports it
  }
}

/** `duplicates`: the file of --dupes-output. */
function sinkTo(destination: Destination, duplicates: Destination | null, recorder: Recorder): Sink {
  const writerTo = (one: Destination): RestartableWriter =>
    restartable(async (block) => {
      await one.write(block);
      recorder.advance('writing', block.length);
    });
  const main = writerTo(destination);
  const others = duplicates && writerTo(duplicates);
  const abort = async (): Promise<void> => {
    await destination.abort();
    await duplicates?.abort();
  };
  let canRestart = true;
  const count = (text: number): void => {
    if (destination.isConverted === true) canRestart = false;
    else main.passed(text);
  };
  const to = destination.blocks ?? null;
  let blocks: BlockOutput | null = to && {
    ...to,
    write: (bytes, sizes) => {
      count(textOf(sizes));
      return to.write(bytes, sizes);
    },
    compress: (text) => {
      count(text.length);
      return to.compress(text);
    },
  };
  return {
    file: destination.file,
    regularFile: others === null ? (destination.regularFile ?? null) : null,
    expect: destination.expect,
    write: main.write,
    duplicates: others === null ? null : others.write,
    get blocks() {
      return blocks;
    },
    get canRestart() {
      return canRestart;
    },
    restart: () => {
      if (main.written > 0) blocks = null;
      main.restart();
      others?.restart();
    },
    finish: async () => {
      try {
        await destination.complete(main.written);
        await duplicates?.complete(others!.written);
        await (duplicates === null ? destination.place() : placeAll([destination, duplicates]));
      } catch (error) {
        await abort();
        throw error;
      }
    },
    abort,
  };
}
