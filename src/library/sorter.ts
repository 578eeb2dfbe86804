/** The functions of the library, and a sorter that keeps a GPU between sorts. */

import type { Gpu } from '../engines/gpu/device/device.js';
import type { TakeGpu } from '../run/caller.js';
import { GpusortError } from '../system/errors.js';
import { refuseEncoding, refuseStreams } from './options.js';
import { refuseCommon, runSort, type SortControl } from './run.js';
import { type Start, sortDuplex, sortedReadable } from './sort-streams.js';
import { linesOf } from './sorted-lines.js';
import type {
  LineEncoding,
  LineSettings,
  PathLike,
  SortDuplex,
  SortedLine,
  SortedReadable,
  Sorter,
  SortInput,
  SortOutput,
  SortResult,
  SortSettings,
} from './types.js';

/**
 * Sorts any input into any output. Rejects with a GpusortError or, if the signal is aborted, with its reason. Streams
 * are then destroyed.
 */
export function sort(input: SortInput, output: SortOutput, settings: SortSettings = {}): Promise<SortResult> {
  return runAlone(input, output, settings);
}

/** Sorts files into a file, which may be one of them. Rejects with code `usage` if one is a stream. */
export function sortFile(
  input: PathLike | readonly PathLike[],
  output: PathLike,
  settings: SortSettings = {},
): Promise<SortResult> {
  return runFiles(runAlone, input, output, settings);
}

/**
 * Sorts any input into a stream, which is also an async iterable of Buffers. The sort begins at once. It ends early if
 * the stream is destroyed, for example by `break` in `for await`. Errors are the stream's, even those of settings.
 */
export function sorted(input: SortInput, settings: SortSettings = {}): SortedReadable {
  return sortedReadable(input, startOf(runAlone, settings));
}

/**
 * Sorts any input and yields its records one at a time, without their delimiters: `for await (const line of
 * sortedLines('a.txt'))`. They are lines, or records of CSV; the header, if there is one, comes first. `encoding` of
 * the settings says what becomes of a record. The sort begins with the first step of the iteration, and ends early if
 * the iteration does, for example by `break`. Errors reject a step, even those of settings. For large outputs, the
 * blocks of `sorted` are faster.
 */
export function sortedLines<E extends LineEncoding = 'utf8'>(
  input: SortInput,
  settings: LineSettings<E> = {},
): AsyncGenerator<SortedLine<E>, void, undefined> {
  return runLines(runAlone, input, settings);
}

/**
 * Returns a stream that sorts what is written to it: `pipeline(source, createSort({ key: '2n' }), target)`. With Web
 * streams: `source.pipeThrough(Duplex.toWeb(createSort()))`. Errors are the stream's, even those of settings.
 */
export function createSort(settings: SortSettings = {}): SortDuplex {
  return sortDuplex(startOf(runAlone, settings));
}

/**
 * `settings`: the defaults for each sort. Sorts may run at the same time. Throws a GpusortError if the library refuses
 * a setting.
 */
export function createSorter(settings: SortSettings = {}): Sorter {
  if (!isObject(settings)) throw notAnObject();
  refuseCommon({ ...settings });
  const gpus = new KeptGpus();
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  const run: RunSort = (input, output, own, control) => {
    const all = united(settings, own);
    if (isClosed) return runSort(input, output, { ...all, signal: refusal('the sorter is closed') }, openAnew);
    const result = gpus.during((takeGpu) => runSort(input, output, all, takeGpu, control));
    const over = result.then(forget, forget);
    function forget(): void {
      running.delete(over);
    }
    running.add(over);
    return result;
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.all(running);
    gpus.close();
  };
  return {
    sort: (input, output, own = {}) => run(input, output, own),
    sortFile: (input, output, own = {}) => runFiles(run, input, output, own),
    sorted: (input, own = {}) => sortedReadable(input, startOf(run, own)),
    sortedLines: (input, own = {}) => runLines(run, input, own),
    createSort: (own = {}) => sortDuplex(startOf(run, own)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Runs a sort. */
type RunSort = (
  input: SortInput,
  output: SortOutput,
  settings: SortSettings,
  control?: SortControl,
) => Promise<SortResult>;

const runAlone: RunSort = (input, output, settings, control) =>
  runSort(input, output, united(settings), openAnew, control);

const startOf =
  (run: RunSort, settings: SortSettings): Start =>
  (input, output, stop) =>
    run(input, output, settings, { stop });

/** Runs a sort whose records are yielded. If the encoding is wrong, the input is released. */
function runLines<E extends LineEncoding>(
  run: RunSort,
  input: SortInput,
  settings: LineSettings<E>,
): AsyncGenerator<SortedLine<E>, void, undefined> {
  const { encoding = 'utf8' as E, ...own } = { ...settings };
  return linesOf(input, encoding, (from, output, control) => {
    try {
      refuseEncoding(encoding);
    } catch (error) {
      return run(from, output, { signal: AbortSignal.abort(error) }, control);
    }
    return run(from, output, isObject(settings) ? own : settings, control);
  });
}

/** Runs a sort of files. If streams are given instead, they are released. */
function runFiles(run: RunSort, input: SortInput, output: SortOutput, settings: SortSettings): Promise<SortResult> {
  try {
    refuseStreams(input, output);
  } catch (error) {
    return run(input, output, { signal: AbortSignal.abort(error) });
  }
  return run(input, output, settings);
}

/** The settings of one sort; later ones take precedence. */
function united(...parts: readonly SortSettings[]): SortSettings {
  return parts.every(isObject) ? Object.assign({}, ...parts) : { signal: AbortSignal.abort(notAnObject()) };
}

const isObject = (settings: unknown): boolean => typeof settings === 'object' && !Array.isArray(settings);

const notAnObject = (): GpusortError =>
  new GpusortError('usage', 'the settings are not an object', {
    hint: "Give the options as properties, for example { key: '2n', reverse: true }.",
  });

/** A signal that ends a sort before it begins, so that its streams are released. */
const refusal = (message: string): AbortSignal => AbortSignal.abort(new GpusortError('usage', message));

const openAnew: TakeGpu = (open) => open();

/**
 * Keeps a GPU's device between sorts, with the kernels that are compiled for it. A sort that finds none idle opens
 * another; one of them is kept. A device that was lost, or on which a sort failed, is not used again.
 */
class KeptGpus {
  private idle: Gpu | null = null;
  private isClosed = false;

  /** Does `work`. If it succeeds, its GPUs are kept. */
  async during<T>(work: (takeGpu: TakeGpu) => Promise<T>): Promise<T> {
    const used: Gpu[] = [];
    let succeeded = false;
    try {
      const result = await work(async (open) => {
        const gpu = this.takeIdle() ?? (await open());
        return {
          ...gpu,
          taken: { bytes: 0 },
          traffic: { sentBytes: 0, readBackBytes: 0 },
          dispatched: new Set(),
          close: () => used.push(gpu),
        };
      });
      succeeded = true;
      return result;
    } finally {
      for (const gpu of used) {
        if (succeeded && !this.isClosed && this.idle === null) this.idle = gpu;
        else gpu.close();
      }
    }
  }

  /** Closes the idle device. Devices in use are closed after their sorts. */
  close(): void {
    this.isClosed = true;
    this.idle?.close();
    this.idle = null;
  }

  private takeIdle(): Gpu | null {
    const gpu = this.idle;
    this.idle = null;
    if (gpu === null || gpu.lostReason() === undefined) return gpu;
    gpu.close();
    return null;
  }
}
