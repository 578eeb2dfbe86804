/** The functions of the library, and a sorter that keeps a GPU between sorts. */
import type { Caller } from '../caller.js';
import { GpusortError } from '../system/errors.js';
import { KeptGpus } from './kept-gpus.js';
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

/** `settings`: those of each sort, unless it has others. Sorts may run at the same time. */
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
