/**
 * Sorted records whose text lies in shared host memory as it was read. Threads write it in order: into blocks of
 * output, or into a run in shared memory.
 */

import type { BlockWriter, Run, Sorted } from '../../../contract/engine.js';
import { TextRun } from '../../../runs/text-run.js';
import { allOver, inParallel, quiet } from '../../../system/promises.js';
import type { SharedMemory } from '../../../system/threads/buffers.js';
import type { TaskRecords } from './host-tasks.js';
import { type HostThreads, slicesOf } from './host-threads.js';

/** Memory for runs: at most `limit` bytes (null: unlimited), of which `used` are taken. */
export interface RunMemory {
  readonly pool: SharedMemory;
  readonly limit: number | null;
  used: number;
}

/** The threads that write sorted records, and the memory for their runs. */
interface HostWork {
  readonly threads: HostThreads;
  readonly runs: RunMemory;
}

/** Approximate bytes of a block: written while it is in a processor's cache. */
const BLOCK_BYTES = 1 << 20;

/** Places of the order whose records make a block, and their bytes. */
interface OrderedBlock {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** The records are written block by block if they are emitted, and all at once if they are kept. */
export class HostSorted implements Sorted {
  readonly bytes: number;
  readonly records: number;
  readonly borrowed = false;
  private readonly work: HostWork;
  private readonly sorted: TaskRecords;
  private readonly blocks: readonly OrderedBlock[];
  private free: (() => void) | null;

  /** The records order[from ... to) of `sorted`. `free` is called when they are no longer needed. */
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

  private constructor(work: HostWork, sorted: TaskRecords, blocks: readonly OrderedBlock[], free: () => void) {
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
      quiet(written);
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
