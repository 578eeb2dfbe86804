/**
 * Counts the records of a sort as they are read, if the planner expects few distinct ones: only these are sorted, and
 * each is then written as often as it occurred. So the text is neither kept nor merged. Equal records must have the
 * same bytes. If a table becomes full, counting ends, and later records are sorted as usual.
 */
import { rest } from '../../../system/promises.js';
import { advance } from '../../../system/resumable.js';
import type { Crew } from '../../../system/threads/crew.js';
import type { CountedRecords, CountingLimits } from '../../contract.js';
import { compileKernels, openKernels } from '../kernels.js';
import type { RecordShape } from '../shape.js';
import type { EngineThreads } from '../worker.js';
import { Repeater } from './repeater.js';
import { CountTable, expanded, limitsOf, type TableContent } from './table.js';
import { type CountOutcome, type CountTask, startCounters } from './tasks.js';

/** Bytes of text that are counted at once, unless chunks are smaller. */
const PORTION_BYTES = 4 << 20;
/** How long tables are united before other events are let through, signals among them. */
const SLICE_MS = 50;
/** Up to these bytes of distinct records are sorted by the calling thread: another one takes longer to start. */
const LITTLE_BYTES = 1 << 20;

export class Counting {
  /** The most bytes that are counted at once. */
  readonly portionBytes: number;
  /** Whether further text is counted. */
  goesOn = true;
  /** Whether what is left to sort is too little for several threads. */
  isLittleLeft = false;
  private readonly shape: RecordShape;
  private readonly crew: Crew<CountTask, CountOutcome>;
  /** Texts that threads are counting. */
  private underway = 0;
  /** The bytes counted so far. */
  private bytes = 0;
  private contents: Promise<readonly TableContent[]> | null = null;

  /** `limits`: those of the table of each thread. */
  constructor(threads: EngineThreads, shape: RecordShape, limits: CountingLimits, chunkBytes: number) {
    this.shape = shape;
    this.portionBytes = Math.min(chunkBytes, PORTION_BYTES);
    this.crew = startCounters(threads, shape, limits);
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

  /** What was counted; null: nothing. `others`: the bytes of all other records. Ends the threads. */
  async end(others: number): Promise<CountedRecords | null> {
    this.goesOn = false;
    const contents = await this.takeTables();
    const { shape, bytes, portionBytes } = this;
    if (bytes === 0) return null;
    const kernels = openKernels(compileKernels(), shape);
    // Repeating looks at all records of the output. If most of them were not counted, sorting the others takes less.
    if (!shape.unique && others > bytes)
      return { bytes, fill: expanded(kernels, contents, portionBytes), repeats: null };
    const table = new CountTable(kernels, limitsOf(contents));
    for (const one of contents) for (const steps = table.add(one); advance(steps, SLICE_MS) === null; ) await rest();
    this.isLittleLeft = others === 0 && table.bytes <= LITTLE_BYTES;
    const form = { delimiter: shape.delimiter, most: portionBytes, bytes: bytes + others };
    return {
      bytes: table.bytes,
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

  /** What the tables of all threads hold, which then end. */
  private takeTables(): Promise<readonly TableContent[]> {
    return (this.contents ??= (async () => {
      const outcomes = await this.crew.performInEach({ kind: 'take' });
      await this.crew.close();
      return outcomes.flatMap(({ taken }) => taken ?? []);
    })());
  }
}
