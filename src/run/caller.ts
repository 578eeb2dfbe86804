/** The caller of a job: the program, with standard input and output, or the library in another program. */
import type { Gpu } from '../engines/gpu/device/device.js';
import type { OpenSources } from '../input/inputs.js';
import type { RecordFormat } from '../job/ordering.js';
import type { FileTarget, NewTarget } from '../output/target.js';
import type { Destination } from '../output/writers.js';
import type { Recorder } from '../report/recorder.js';

/** `signal` only ends reads of the inputs; the recorder ends everything else when it is aborted. */
export interface Caller extends OpenSources {
  /** The replacement of standard output; null: descriptor 1. */
  readonly output: Destination | null;
  /** The file of -o, if it was opened and examined; null: it is still to be opened. */
  readonly target: FileTarget | NewTarget | null;
  /** Whether the process runs only this job, so that V8's options may be changed. */
  readonly ownsProcess: boolean;
  /** Returns a GPU that may have been used before; `open` opens one. */
  readonly takeGpu: TakeGpu;
  /** Counts the records of the output; null: the count is not needed. */
  readonly tally: RecordCounter | null;
}

export type TakeGpu = (open: () => Promise<Gpu>) => Promise<Gpu>;

export interface RecordCounter {
  /**
   * Called at the beginning of each attempt to write the output. The returned function gets the records to be written,
   * in the form in which engines hold them, without keys.
   */
  begin(format: RecordFormat): (block: Uint8Array) => void;
  /** Takes the number of records in place of the records. */
  take(records: number): void;
}

/** The objects that live as long as one sort, and its caller. */
export interface Sort {
  readonly recorder: Recorder;
  readonly caller: Caller;
}

export const PROGRAM: Caller = {
  sources: new Map(),
  output: null,
  target: null,
  ownsProcess: true,
  takeGpu: (open) => open(),
  tally: null,
};
