/**
 * Chunks whose text stays in host memory (the algorithm msd-radix-hybrid). Threads of the host find the records, the
 * sort gives their order, and threads write the text in that order: into blocks of output, or into a run in shared
 * memory, which others merge. Knows nothing of how keys are made or records sorted.
 */

import type { BlockWriter, Run, Sorted } from '../../../contract/engine.js';
import type { Limit } from '../../../job/job.js';
import { addDigests, type Digest, NO_RECORDS } from '../../../report/digest.js';
import { TextRun } from '../../../runs/text-run.js';
import { internalError } from '../../../system/errors.js';
import { allOver, inParallel } from '../../../system/promises.js';
import type { SharedMemory } from '../../../system/threads/buffers.js';
import type { HostText } from '../records/host-text.js';
import type { TaskRecords } from '../strings/msd-radix/host-tasks.js';
import { type HostThreads, slicesOf, startHostThreads } from '../strings/msd-radix/host-threads.js';
import { HostChunk } from './host-keys.js';
import type { HostOrder, Stages } from './stages.js';

/** Tasks per thread when records are found, so that all threads finish at about the same time. */
const TASKS_PER_THREAD = 4;

/** A whole text in shared memory. `release` is called once the text is not needed any more. */
interface HeldText {
  readonly memory: SharedArrayBuffer;
  readonly bytes: number;
  release(): void;
}

export class HostSort {
  private readonly stages: Stages;
  private readonly hostOrder: HostOrder;
  private readonly threads: HostThreads;
  private readonly runs: RunMemory;

  /** Sorts by `hostOrder`, with `threads` threads. Chunks and runs lie in `pool`; runs take at most `limit` bytes. */
  constructor(
    stages: Stages,
    hostOrder: HostOrder,
    threads: number,
    { pool, limit }: { readonly pool: SharedMemory; readonly limit: number | null },
  ) {
    this.stages = stages;
    this.hostOrder = hostOrder;
    this.threads = startHostThreads(threads);
    this.runs = { pool, limit, used: 0 };
  }

  openChunk(capacity: number, pieceBytes: number): HostChunk {
    return new HostChunk(this.runs.pool, capacity, pieceBytes);
  }

  /** A text made of parts, which `fill` writes. */
  async textOf(bytes: number, fill: (target: Uint8Array) => Promise<unknown>): Promise<HeldText> {
    const { memory } = this.threads;
    const held = memory.take(bytes);
    await fill(new Uint8Array(held, 0, bytes));
    return { memory: held, bytes, release: () => memory.give(held) };
  }

  /**
   * Sorts the records of a text, in batches of as many as one sort takes, and adds the results to `results`. The last
   * of them to be written releases the text. Resolves to the digest of all records if `hashes`.
   */
  async order(held: HeldText, results: Sorted[], hashes: boolean): Promise<Digest> {
    const { pool, ordering, recordLimit, limit } = this.stages;
    const { memory } = this.threads;
    const text = new Uint8Array(held.memory, 0, held.bytes);
    const { starts, buffer } = await this.startsOf(text);
    const total = starts.length - 1;
    // A failure of a sort abandons the memory, because threads may still use it.
    const input = hashes ? await this.digestOf({ text, starts }) : NO_RECORDS;
    let users = 1;
    const leave = (): void => {
      if (--users > 0) return;
      memory.give(buffer);
      held.release();
    };
    for (let first = 0; first < total; first += recordLimit) {
      const some = Math.min(recordLimit, total - first);
      const records: HostText = { text, starts: starts.subarray(first, first + some + 1) };
      const orderBuffer = memory.take(4 * some);
      const order = new Uint32Array(orderBuffer, 0, some);
      const { count } = await this.hostOrder(pool, this.threads, { ...records, ordering, order });
      users++;
      results.push(
        await HostSorted.of(
          { threads: this.threads, runs: this.runs },
          taskRecords(this.stages, records, order),
          left(count, limit),
          () => {
            memory.give(orderBuffer);
            leave();
          },
        ),
      );
    }
    leave();
    return input;
  }

  close(): Promise<void> {
    return this.threads.close();
  }

  private async startsOf(
    text: Uint8Array<SharedArrayBuffer>,
  ): Promise<{ starts: Uint32Array<SharedArrayBuffer>; buffer: SharedArrayBuffer }> {
    const {
      ordering: { format },
    } = this.stages;
    const { memory } = this.threads;
    if (format.kind !== 'lines') throw internalError('this sort takes lines only');
    const slices = slicesOf(0, text.length, TASKS_PER_THREAD * Math.max(1, this.threads.workers));
    const common = { kind: 'ends', text, delimiter: format.delimiter } as const;
    const counts = (await allOver(
      slices.map((slice) => this.threads.perform({ ...common, ...slice, ends: null })),
    )) as number[];
    const count = counts.reduce((sum, one) => sum + one, 0);
    const buffer = memory.take(4 * (count + 1));
    const starts = new Uint32Array(buffer, 0, count + 1);
    starts[0] = 0;
    let first = 1;
    await allOver(
      slices.map((slice, i) => {
        first += counts[i];
        return this.threads.perform({ ...common, ...slice, ends: { list: starts, first: first - counts[i] } });
      }),
    );
    return { starts, buffer };
  }

  private async digestOf(records: HostText): Promise<Digest> {
    const count = records.starts.length - 1;
    const all = taskRecords(this.stages, records, new Uint32Array(new SharedArrayBuffer(0)));
    const digests = (await allOver(
      slicesOf(0, count, Math.min(count, TASKS_PER_THREAD * Math.max(1, this.threads.workers))).map((slice) =>
        this.threads.perform({ kind: 'digest', records: all, ...slice }),
      ),
    )) as Digest[];
    return digests.reduce(addDigests, NO_RECORDS);
  }
}

/** What tasks that only move or hash records need. */
function taskRecords({ ordering }: Stages, { text, starts }: HostText, order: Uint32Array): TaskRecords {
  return { ordering, text, starts, order, states: new Uint32Array(new SharedArrayBuffer(0)) };
}

/** The part of `count` records that `limit` keeps. */
function left(count: number, limit: Limit | null): { from: number; to: number } {
  const most = limit?.count ?? Infinity;
  return limit?.end === 'last'
    ? { from: Math.max(0, count - most), to: count }
    : { from: 0, to: Math.min(count, most) };
}

/** Memory for runs: at most `limit` bytes (null: unlimited), of which `used` are taken. */
interface RunMemory {
  readonly pool: SharedMemory;
  readonly limit: number | null;
  used: number;
}

/** What writes sorted records, and where their runs lie. */
interface HostWork {
  readonly threads: HostThreads;
  readonly runs: RunMemory;
}

/** Approximate bytes of a block: written while it is in a processor's cache. */
const BLOCK_BYTES = 1 << 20;

/** Places of the order whose records make a block, and their bytes. */
interface Block {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/**
 * Sorted records whose text lies in host memory as it was read. Threads of the host write it in order, block by block,
 * when it is emitted, and all at once when it is kept.
 */
class HostSorted implements Sorted {
  readonly bytes: number;
  readonly records: number;
  readonly borrowed = false;
  private readonly work: HostWork;
  private readonly sorted: TaskRecords;
  private readonly blocks: readonly Block[];
  private free: (() => void) | null;

  /** The records order[from ... to) of `sorted`. `free` is called when they are not needed any more. */
  static async of(
    work: HostWork,
    sorted: TaskRecords,
    { from, to }: { readonly from: number; readonly to: number },
    free: () => void,
  ): Promise<HostSorted> {
    const average = (sorted.starts[sorted.starts.length - 1] - sorted.starts[0]) / (sorted.starts.length - 1);
    const parts = slicesOf(from, to, Math.max(1, Math.ceil(((to - from) * average) / BLOCK_BYTES))).filter(
      (part) => part.to > part.from,
    );
    const bytes = (await allOver(
      parts.map((part) => work.threads.perform({ kind: 'bytes', records: sorted, ...part })),
    )) as number[];
    return new HostSorted(
      work,
      sorted,
      parts.map((part, i) => ({ ...part, bytes: bytes[i] })),
      free,
    );
  }

  private constructor(work: HostWork, sorted: TaskRecords, blocks: readonly Block[], free: () => void) {
    this.work = work;
    this.sorted = sorted;
    this.blocks = blocks;
    this.free = free;
    this.bytes = blocks.reduce((sum, block) => sum + block.bytes, 0);
    this.records = blocks.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** After a failure threads may still read the memory, which is then abandoned. */
  async emit(write: BlockWriter): Promise<void> {
    const {
      work: { threads },
      sorted,
    } = this;
    const { memory } = threads;
    let before: Promise<void> = Promise.resolve();
    await inParallel(this.blocks, threads.workers + 1, async ({ from, to, bytes }) => {
      const turn = before;
      const buffer = memory.take(bytes);
      const target = new Uint8Array(buffer, 0, bytes);
      const filled = threads.perform({ kind: 'write', records: sorted, from, to, target });
      const written = allOver([turn, filled]).then(() => write(target));
      // Handled below; the next block waits for it too.
      written.catch(() => {});
      before = written;
      await written;
      memory.give(buffer);
    });
    this.release();
  }

  /** After a failure threads may still write to the memory, which is then abandoned. */
  async keep(): Promise<Run | null> {
    const {
      work: { threads, runs },
      sorted,
      bytes: total,
    } = this;
    const buffer = runs.pool.take(total);
    if (runs.limit !== null && runs.used + buffer.byteLength > runs.limit) {
      runs.pool.give(buffer);
      return null;
    }
    runs.used += buffer.byteLength;
    let at = 0;
    await allOver(
      this.blocks.map(({ from, to, bytes }) => {
        const target = new Uint8Array(buffer, at, bytes);
        at += bytes;
        return threads.perform({ kind: 'write', records: sorted, from, to, target });
      }),
    );
    this.release();
    let isHeld = true;
    return new TextRun(buffer, { begin: 0, end: total }, sorted.ordering, () => {
      if (!isHeld) return;
      isHeld = false;
      runs.used -= buffer.byteLength;
      runs.pool.give(buffer);
    });
  }

  release(): void {
    this.free?.();
    this.free = null;
  }
}
