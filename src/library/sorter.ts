/** The functions of the library, and a sorter that keeps a GPU between sorts. */

import type { Gpu } from '../engines/gpu/device/device.js';
import type { Caller } from '../input/inputs.js';
import { GpusortError } from '../system/errors.js';
import { runSort } from './run.js';
import type { PathLike, Sorter, SortInput, SortOutput, SortResult, SortSettings } from './types.js';

/**
 * Sorts any input into any output. Rejects with a GpusortError or, if the signal is aborted, with its reason. Streams
 * are then destroyed.
 */
export function sort(input: SortInput, output: SortOutput, settings: SortSettings = {}): Promise<SortResult> {
  return runSort(input, output, { ...settings }, openAnew);
}

/** Sorts files into a file, which may be one of them. */
export function sortFile(
  input: PathLike | readonly PathLike[],
  output: PathLike,
  settings: SortSettings = {},
): Promise<SortResult> {
  return sort(input, output, settings);
}

/** `settings`: the defaults for each sort. Sorts may run at the same time. */
export function createSorter(settings: SortSettings = {}): Sorter {
  const gpus = new KeptGpus();
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  const sortHere: typeof sort = (input, output, own = {}) => {
    const all = { ...settings, ...own };
    if (isClosed) return runSort(input, output, { ...all, signal: closed() }, openAnew);
    const result = gpus.during((takeGpu) => runSort(input, output, all, takeGpu));
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
  return { sort: sortHere, sortFile: sortHere, close, [Symbol.asyncDispose]: close };
}

/** Ends a sort before it begins: its streams are released. */
const closed = (): AbortSignal => AbortSignal.abort(new GpusortError('usage', 'the sorter is closed'));

const openAnew: Caller['takeGpu'] = (open) => open();

/**
 * Keeps a GPU's device between sorts, with the kernels that are compiled for it. A sort that finds none idle opens
 * another; one of them is kept. A device that was lost, or on which a sort failed, is not used again.
 */
class KeptGpus {
  private idle: Gpu | null = null;
  private isClosed = false;

  /** Does `work`, whose GPUs are kept if it succeeds. */
  async during<T>(work: (takeGpu: Caller['takeGpu']) => Promise<T>): Promise<T> {
    const used: Gpu[] = [];
    let succeeded = false;
    try {
      const result = await work(async (open) => {
        const gpu = this.takeIdle() ?? (await open());
        return {
          ...gpu,
          taken: { bytes: 0 },
          traffic: { sentBytes: 0, readBackBytes: 0 },
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

  /** Closes the idle device. Those in use are closed after their sorts. */
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
