/** What runs a job: the program, whose own streams are standard input and output, or the library in another program. */
import type { Gpu } from './engines/gpu/device/device.js';
import type { StreamReader } from './input/stream.js';
import type { FileName } from './job/job.js';
import type { Destination } from './output/writers.js';

export interface Caller {
  /** Inputs of the job that are streams and open already, by their names in it. */
  readonly sources: ReadonlyMap<FileName, StreamReader>;
  /** What replaces standard output; null: descriptor 1. */
  readonly output: Destination | null;
  /** Ends reads of streams. The recorder ends everything else. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the process is for this job alone, so that V8's options may be changed. */
  readonly ownsProcess: boolean;
  /** Gives a GPU that may have been used before; `open` opens one. */
  readonly takeGpu: (open: () => Promise<Gpu>) => Promise<Gpu>;
}

export const PROGRAM: Caller = {
  sources: new Map(),
  output: null,
  ownsProcess: true,
  takeGpu: (open) => open(),
};
