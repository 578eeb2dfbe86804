/**
 * Sorts texts that lie in shared host memory. Threads find the records, and packed prefixes give their order
 * (packed-prefixes.ts). Knows neither how keys are made nor what happens to the sorted records.
 */

import type { Sorted } from '../../../contract/engine.js';
import type { Limit } from '../../../job/job.js';
import type { Ordering } from '../../../job/ordering.js';
import { addDigests, type Digest, NO_RECORDS } from '../../../report/digest.js';
import { internalError } from '../../../system/errors.js';
import { allOver } from '../../../system/promises.js';
import type { DevicePool } from '../device/pool.js';
import { HostSorted, type RunMemory } from './host-sorted.js';
import type { TaskRecords } from './host-tasks.js';
import type { HostText } from './host-text.js';
import { type HostThreads, slicesOf, startHostThreads } from './host-threads.js';
import type { PrefixSort } from './packed-prefixes.js';

/** Tasks per thread when records are found, so that all threads finish at about the same time. */
const TASKS_PER_THREAD = 4;

/** A whole text in shared memory. `release` is called once the text is no longer needed. */
interface HeldText {
  readonly memory: SharedArrayBuffer;
  readonly bytes: number;
  release(): void;
}

interface HostSortSettings {
  readonly ordering: Ordering;
  /** See GpuEngineOptions. */
  readonly limit: Limit | null;
  /** Maximum records of one sort. */
  readonly recordLimit: number;
}

export class HostSort {
  private readonly settings: HostSortSettings;
  private readonly sort: PrefixSort;
  private readonly pool: DevicePool;
  private readonly runs: RunMemory;
  private readonly threads: HostThreads;

  /** Sorts by `sort`, with device memory of `pool` and with `threads` threads. Kept runs lie in `runs`. */
  constructor(settings: HostSortSettings, sort: PrefixSort, pool: DevicePool, runs: RunMemory, threads: number) {
    this.settings = settings;
    this.sort = sort;
    this.pool = pool;
    this.runs = runs;
    this.threads = startHostThreads(threads);
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
  async order(held: HeldText, results: Sorted[], { hashes }: { readonly hashes: boolean }): Promise<Digest> {
    const { ordering, recordLimit, limit } = this.settings;
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
      const { count } = await this.sort(this.pool, this.threads, { ...records, ordering, order });
      users++;
      results.push(
        await HostSorted.of(
          { threads: this.threads, runs: this.runs },
          taskRecords(ordering, records, order),
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
    const { format } = this.settings.ordering;
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
    const all = taskRecords(this.settings.ordering, records, new Uint32Array(new SharedArrayBuffer(0)));
    const digests = (await allOver(
      slicesOf(0, count, Math.min(count, TASKS_PER_THREAD * Math.max(1, this.threads.workers))).map((slice) =>
        this.threads.perform({ kind: 'digest', records: all, ...slice }),
      ),
    )) as Digest[];
    return digests.reduce(addDigests, NO_RECORDS);
  }
}

/** Records for tasks that only move or hash them. */
function taskRecords(ordering: Ordering, { text, starts }: HostText, order: Uint32Array): TaskRecords {
  return { ordering, text, starts, order, states: new Uint32Array(new SharedArrayBuffer(0)) };
}

/** The part of `count` records that `limit` keeps. */
function left(count: number, limit: Limit | null): { from: number; to: number } {
  const most = limit?.count ?? Infinity;
  return limit?.end === 'last'
    ? { from: Math.max(0, count - most), to: count }
    : { from: 0, to: Math.min(count, most) };
}
