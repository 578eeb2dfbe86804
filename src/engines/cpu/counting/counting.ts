/**
 * Counts the records of a sort as they are read, if the planner expects few distinct ones: only these are sorted, and
 * each is then written as often as it occurred. So the text is neither kept nor merged. Equal records must have the
 * same bytes. If distinct records turn out to be many, counting ends: later records are sorted as usual, and those that
 * were counted are sorted with them.
 */
import { rest } from '../../../system/promises.js';
import { advance } from '../../../system/resumable.js';
import type { Crew } from '../../../system/threads/crew.js';
import type { CountedRecords } from '../../contract.js';
import { compileKernels, openKernels } from '../kernels.js';
import type { RecordShape } from '../shape.js';
import type { EngineThreads } from '../worker.js';
import { Repeater } from './repeater.js';
import { CountTable, type TableLimits } from './table.js';
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
  private readonly shape: RecordShape;
  private readonly limits: TableLimits;
  private readonly threads: number;
  private readonly crew: Crew<CountTask, CountOutcome>;
  private hasEnded = false;
  /** The bytes counted so far. */
  private bytes = 0;
  /** Whether what is left to sort is too little for several threads. */
  isLittleLeft = false;

  /** `limits`: those of the table of each thread. */
  constructor(threads: EngineThreads, shape: RecordShape, limits: TableLimits, chunkBytes: number) {
    this.shape = shape;
    this.limits = limits;
    this.portionBytes = Math.min(chunkBytes, PORTION_BYTES);
    this.threads = threads.workers + Number(threads.helps);
    this.crew = startCounters(threads, shape, limits);
  }

  /** Whether further text is counted. */
  get goesOn(): boolean {
    return !this.hasEnded;
  }

  /** Counts the first records of a text; returns their bytes. */
  async take(text: SharedArrayBuffer, bytes: number): Promise<number> {
    if (this.hasEnded || bytes > this.portionBytes) return 0;
    const outcome = await this.crew.perform({ kind: 'count', text, bytes });
    if (outcome.bytes < bytes) this.hasEnded = true;
    this.bytes += outcome.bytes;
    return outcome.bytes;
  }

  /** What was counted; null: nothing. `isAlone`: there are no other records. Ends the threads. */
  async end(isAlone: boolean): Promise<CountedRecords | null> {
    this.hasEnded = true;
    const tables = (await this.crew.performInEach({ kind: 'take' })).flatMap(({ taken }) => taken ?? []);
    await this.crew.close();
    if (this.bytes === 0) return null;
    const { shape, bytes, portionBytes } = this;
    const kernels = openKernels(compileKernels(), shape);
    const table = new CountTable(kernels, {
      entries: 2 ** Math.ceil(Math.log2(this.limits.entries * this.threads)),
      bytes: this.limits.bytes * this.threads,
    });
    for (const one of tables) for (const steps = table.add(one); advance(steps, SLICE_MS) === null; ) await rest();
    // With others, each counted record is sorted as often as it occurred.
    if (!isAlone && !shape.unique) return { bytes, fill: table.all(portionBytes), repeats: null };
    this.isLittleLeft = isAlone && table.bytes <= LITTLE_BYTES;
    return {
      bytes: table.bytes,
      fill: table.distinct(shape.delimiter),
      repeats: shape.unique
        ? null
        : {
            written: (write) =>
              new Repeater(kernels, table.free, { delimiter: shape.delimiter, most: portionBytes, bytes }, write),
            countsOf: (records) => table.countsOf(records),
          },
    };
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.crew.close();
  }
}
