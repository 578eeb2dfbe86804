/**
 * Counts the records of a sort as they are read, if the planner expects few distinct ones. Only distinct records are
 * sorted, and each is then written as often as it occurred, so the text is neither kept nor merged. Equal records must
 * have the same bytes. If a table becomes full, counting ends, and later records are sorted as usual.
 */

import { type CountedRecords, type CountingLimits, UNITING_THREADS } from '../../../contract/engine.js';
import { rest } from '../../../system/promises.js';
import { advance, type Resumable } from '../../../system/resumable.js';
import { type Crew, startAhead } from '../../../system/threads/crew.js';
import { compileKernels, openKernels } from '../kernels.js';
import type { RecordShape } from '../shape.js';
import type { EngineThreads } from '../worker.js';
import { Repeater } from './repeater.js';
import { bytesIn, expanded, recordsIn, type TableContent, unitedTable } from './table.js';
import { type CountOutcome, type CountTask, startCounters } from './tasks.js';

/** Bytes of text that are counted at once, unless chunks are smaller. */
const PORTION_BYTES = 4 << 20;
/** How long tables are merged before other events may run. */
const SLICE_MS = 50;
/** Fewer records than this, in all tables, are merged by the calling thread, which takes 30 ns for each. */
const LEAST_UNITED = 1 << 16;
/** Up to this many bytes of distinct records are sorted by the calling thread: starting another takes longer. */
const LITTLE_BYTES = 1 << 20;
/** Bytes of distinct records for each thread that sorts them. */
const SORTER_BYTES = 2 << 20;

export class Counting {
  /** Maximum bytes that are counted at once. */
  readonly portionBytes: number;
  /** Whether further text is counted. */
  goesOn = true;
  /** The threads for what is left to sort. */
  sorters: EngineThreads;
  private readonly threads: EngineThreads;
  private readonly shape: RecordShape;
  private readonly crew: Crew<CountTask, CountOutcome>;
  /** Texts that threads are counting. */
  private underway = 0;
  /** The bytes counted so far. */
  private bytes = 0;
  private contents: Promise<readonly TableContent[]> | null = null;
  /** The number of parts in which tables are merged. */
  private readonly parts: number;

  /** `limits`: for each thread's table. */
  constructor(threads: EngineThreads, shape: RecordShape, limits: CountingLimits, chunkBytes: number) {
    this.shape = shape;
    this.sorters = this.threads = threads;
    this.portionBytes = Math.min(chunkBytes, PORTION_BYTES);
    this.crew = startCounters(threads, shape, limits);
    this.parts = threads.workers < UNITING_THREADS ? 1 : 2 ** Math.floor(Math.log2(threads.workers));
  }

  /** Whether what is left to sort is too little for all threads. */
  get isLittleLeft(): boolean {
    return this.sorters.workers < this.threads.workers;
  }

  /** Counts the first records of a text; returns their bytes. */
  async take(text: SharedArrayBuffer, bytes: number): Promise<number> {
    if (!this.goesOn || bytes > this.portionBytes) return 0;
    this.underway++;
    try {
      const outcome = await this.crew.perform({ kind: 'count', text, bytes });
      this.bytes += outcome.bytes;
      if (outcome.bytes < bytes) this.goesOn = false;
      return outcome.bytes;
    } finally {
      this.underway--;
      // The threads and their tables take memory that the rest of the sort needs.
      if (!this.goesOn && this.underway === 0) void this.takeTables().catch(() => {});
    }
  }

  /** Ends the threads and returns what they counted; null: nothing. `others`: the bytes of all other records. */
  async end(others: number): Promise<CountedRecords | null> {
    this.goesOn = false;
    const contents = await this.takeTables();
    const { shape, bytes, portionBytes } = this;
    if (bytes === 0) return null;
    const kernels = openKernels(compileKernels(), shape);
    // Repeating looks at all records of the output. If most of them were not counted, it is faster to sort the counted
    // ones as often as they occurred.
    if (!shape.unique && others > bytes)
      return { bytes, chunkBytes: Infinity, fill: expanded(kernels, contents, portionBytes), repeats: null };
    if (others === 0) {
      this.sorters = sortersOf(this.threads, bytesIn(contents));
      startAhead(this.sorters.workers);
    }
    const table = await inSlices(unitedTable(kernels, contents));
    const form = { delimiter: shape.delimiter, most: portionBytes, bytes: bytes + others };
    return {
      bytes: table.bytes,
      chunkBytes: Math.max(SORTER_BYTES, Math.ceil(table.bytes / Math.max(1, this.sorters.workers))),
      fill: table.distinct(shape.delimiter),
      repeats: shape.unique
        ? null
        : {
            written: (write) => new Repeater(kernels, table.free, form, write),
            countsOf: (records) => table.countsOf(records),
          },
    };
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.crew.close();
  }

  /** Takes the content of all threads' tables and ends the threads. */
  private takeTables(): Promise<readonly TableContent[]> {
    return (this.contents ??= (async () => {
      const outcomes = await this.crew.performInEach({ kind: 'take', parts: this.parts });
      const contents = await this.united(outcomes.map(({ taken }) => taken));
      await this.crew.close();
      return contents;
    })());
  }

  /** Merges each part of all tables in a thread of its own, unless there are few records. */
  private async united(tables: readonly (readonly TableContent[])[]): Promise<readonly TableContent[]> {
    const filled = tables.filter((parts) => parts.length > 0);
    if (this.parts === 1 || filled.length < 2 || recordsIn(filled.flat()) < LEAST_UNITED) return filled.flat();
    const tasks = filled[0].map((_, part) =>
      this.crew.perform({ kind: 'unite', contents: filled.map((parts) => parts[part]) }),
    );
    return (await Promise.all(tasks)).flatMap(({ taken }) => taken);
  }
}

/** The threads that sort at most `bytes` bytes. */
function sortersOf({ workers, helps }: EngineThreads, bytes: number): EngineThreads {
  if (bytes <= LITTLE_BYTES) return { workers: 0, helps: true };
  return { workers: Math.min(workers, Math.ceil(bytes / SORTER_BYTES)), helps };
}

/** Executes steps, and lets other events, such as signals, run between them. */
async function inSlices<Result>(steps: Resumable<Result>): Promise<Result> {
  for (;;) {
    const done = advance(steps, SLICE_MS);
    if (done !== null) return done.outcome;
    await rest();
  }
}
