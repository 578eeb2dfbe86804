/** The tasks of threads that count records. Each thread has a table of its own, which is taken from it at the end. */

import type { CountingLimits } from '../../../contract/engine.js';
import { explainMemory } from '../../../system/errors.js';
import { finish, type Resumable } from '../../../system/resumable.js';
import { type Crew, createCrew } from '../../../system/threads/crew.js';
import { type CpuKernels, compileKernels, copyIn, layOut, openKernels, randomWord } from '../kernels.js';
import type { RecordShape } from '../shape.js';
import { wholeRecords } from '../task.js';
import type { EngineThreads } from '../worker.js';
import { CountTable, type TableContent, unitedTable } from './table.js';

/**
 * Counts the first `bytes` bytes of a text, takes the content of the thread's table, in parts, or merges the content of
 * several tables.
 */
export type CountTask =
  | { readonly kind: 'count'; readonly text: SharedArrayBuffer; readonly bytes: number }
  | { readonly kind: 'take'; readonly parts: number }
  | { readonly kind: 'unite'; readonly contents: readonly TableContent[] };

/**
 * How many bytes of the text were counted, from its beginning; or the content taken or merged, empty if there is none.
 */
export interface CountOutcome {
  readonly bytes: number;
  readonly taken: readonly TableContent[];
}

interface CountData {
  readonly module: WebAssembly.Module;
  readonly shape: RecordShape;
  readonly limits: CountingLimits;
  /** The seed of the hashes, the same in all threads. */
  readonly seed: readonly [number, number];
}

/** Text is copied to the kernels in parts of this size, which stay in a processor's cache while they are counted. */
const PART_BYTES = 256 << 10;

/** The role `count` of src/run/worker.ts. */
export function openCountWorker(data: CountData): (task: CountTask) => CountOutcome {
  const counter = new ChunkCounter(data);
  return (task) => finish(counter.perform(task));
}

/** Starts threads that count. */
export function startCounters(
  { workers, helps }: EngineThreads,
  shape: RecordShape,
  limits: CountingLimits,
): Crew<CountTask, CountOutcome> {
  const data: CountData = { module: compileKernels(), shape, limits, seed: [randomWord(), randomWord()] };
  let counter: ChunkCounter | undefined;
  const perform = (task: CountTask): Resumable<CountOutcome> => (counter ??= new ChunkCounter(data)).perform(task);
  return createCrew({
    workers,
    role: { name: 'count', data },
    helps,
    perform,
    explain: (error) => explainMemory(error),
  });
}

class ChunkCounter {
  private readonly data: CountData;
  private readonly kernels: CpuKernels;
  /** Null: nothing was counted yet. */
  private table: CountTable | null = null;

  constructor(data: CountData) {
    this.data = data;
    this.kernels = openKernels(data.module, data.shape);
    this.kernels.setSeed(...data.seed);
  }

  *perform(task: CountTask): Resumable<CountOutcome> {
    if (task.kind === 'count') return { bytes: yield* this.count(task.text, task.bytes), taken: [] };
    if (task.kind === 'unite')
      return { bytes: 0, taken: yield* (yield* unitedTable(this.kernels, task.contents)).take() };
    const { table } = this;
    this.table = null;
    return { bytes: 0, taken: table === null ? [] : yield* table.take(task.parts) };
  }

  private *count(buffer: SharedArrayBuffer, bytes: number): Resumable<number> {
    const {
      kernels,
      data: { shape, limits },
    } = this;
    const table = (this.table ??= new CountTable(kernels, limits));
    wholeRecords(shape, buffer, 0, bytes);
    const text = Buffer.from(buffer, 0, bytes);
    for (let at = 0; at < bytes; ) {
      const last = text.subarray(at, at + PART_BYTES).lastIndexOf(shape.delimiter);
      const end = last >= 0 ? at + last + 1 : text.indexOf(shape.delimiter, at) + 1;
      const [place] = layOut(kernels, [end - at], table.free);
      copyIn(kernels, text.subarray(at, end), place);
      at += (yield* table.count(place, place + end - at)) - place;
      if (at < end) return at;
    }
    return bytes;
  }
}
