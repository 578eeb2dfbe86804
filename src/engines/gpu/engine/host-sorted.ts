/**
 * Sorted records whose text lies in host memory as it was read. Threads of the host write it in order, block by block,
 * when it is emitted. It is never kept: a run of it is stored, in host memory or in a temporary file.
 */

import { allOver, inParallel } from '../../../system/promises.js';
import type { BlockWriter, Sorted } from '../../contract.js';
import type { TaskRecords } from '../strings/msd-radix/host-tasks.js';
import { type HostThreads, slicesOf } from '../strings/msd-radix/host-threads.js';

/** Approximate bytes of a block: written while it is in a processor's cache. */
const BLOCK_BYTES = 1 << 20;

/** Places of the order whose records make a block, and their bytes. */
interface Block {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

export class HostSorted implements Sorted {
  readonly bytes: number;
  readonly records: number;
  readonly borrowed = false;
  private readonly threads: HostThreads;
  private readonly sorted: TaskRecords;
  private readonly blocks: readonly Block[];
  private free: (() => void) | null;

  /** The records order[from ... to) of `sorted`. `free` is called when they are not needed any more. */
  static async of(
    threads: HostThreads,
    sorted: TaskRecords,
    { from, to }: { readonly from: number; readonly to: number },
    free: () => void,
  ): Promise<HostSorted> {
    const average = (sorted.starts[sorted.starts.length - 1] - sorted.starts[0]) / (sorted.starts.length - 1);
    const parts = slicesOf(from, to, Math.max(1, Math.ceil(((to - from) * average) / BLOCK_BYTES))).filter(
      (part) => part.to > part.from,
    );
    const bytes = (await allOver(
      parts.map((part) => threads.perform({ kind: 'bytes', records: sorted, ...part })),
    )) as number[];
    return new HostSorted(
      threads,
      sorted,
      parts.map((part, i) => ({ ...part, bytes: bytes[i] })),
      free,
    );
  }

  private constructor(threads: HostThreads, sorted: TaskRecords, blocks: readonly Block[], free: () => void) {
    this.threads = threads;
    this.sorted = sorted;
    this.blocks = blocks;
    this.free = free;
    this.bytes = blocks.reduce((sum, block) => sum + block.bytes, 0);
    this.records = blocks.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** After a failure threads may still read the memory, which is then abandoned. */
  async emit(write: BlockWriter): Promise<void> {
    const { threads, sorted } = this;
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

  keep(): Promise<null> {
    return Promise.resolve(null);
  }

  release(): void {
    this.free?.();
    this.free = null;
  }
}
