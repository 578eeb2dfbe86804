/**
 * Sorts records in host memory. Only their first symbols go to the device (Drozd and Matsuoka, section 4): threads of
 * the host pack them, the device sorts them and returns the order, and the threads find the bounds of buckets and sort
 * inside them. A record costs 12 bytes to the device and 4 back, whatever its length.
 */
import type { Ordering } from '../../../job/ordering.js';
import type { Gpu } from '../device/device.js';
import { asBytes, readInto, sendFrom } from '../device/host-copies.js';
import { type DevicePool, Scratch } from '../device/pool.js';
import {
  loadSplit,
  SPLIT_TUNING,
  type SplitKernels,
  type SplitTuning,
  splitEntries,
  splitKernels,
} from '../strings/msd-radix/entries.js';
import { SAME } from './host-groups.js';
import type { HostTask, TaskRecords } from './host-tasks.js';
import type { HostText } from './host-text.js';
import { type HostThreads, slicesOf, sortOnThreads } from './host-threads.js';
import { type PackedWords, type Packing, packingOf, type Survey } from './pack-symbols.js';

/** Compiles what sortByPrefixes needs. */
export function loadPackedPrefixes(gpu: Gpu, tuning: SplitTuning = SPLIT_TUNING): Promise<unknown> {
  return loadSplit(splitKernels(gpu, tuning));
}

interface SortedPrefixes {
  /** The number of records in order; under `unique` only the first of equal records are left. */
  readonly count: number;
  /** The number of records that the host sorted. */
  readonly remainder: number;
  /** Bytes sent to the device and read back. */
  readonly sentBytes: number;
  readonly readBackBytes: number;
}

/** Records in host memory, and where their numbers go in order: one place per record. */
interface HostJob extends HostText {
  readonly ordering: Ordering;
  readonly order: Uint32Array<SharedArrayBuffer>;
}

/**
 * A sort of fewer than 2^28 records in host memory, of which only first symbols go to the device. `threads` pack them,
 * and sort the records that are still tied.
 */
export type PrefixSort = (pool: DevicePool, threads: HostThreads, job: HostJob) => Promise<SortedPrefixes>;

export function sortByPrefixes(tuning: SplitTuning = SPLIT_TUNING): PrefixSort {
  return (pool, threads, job) => sortPrefixes(splitKernels(pool.gpu, tuning), pool, threads, job);
}

async function sortPrefixes(
  kernels: SplitKernels,
  pool: DevicePool,
  threads: HostThreads,
  { text, starts, ordering, order }: HostJob,
): Promise<SortedPrefixes> {
  const count = starts.length - 1;
  if (count === 0) return { count, remainder: 0, sentBytes: 0, readBackBytes: 0 };
  const { memory } = threads;
  const held: SharedArrayBuffer[] = [];
  const words = (length: number): Uint32Array => {
    held.push(memory.take(4 * length));
    return new Uint32Array(held[held.length - 1], 0, length);
  };
  const records: TaskRecords = { ordering, text, starts, order, states: words(count) };
  const packed: PackedWords = { keys: words(2 * count), numbers: words(count) };
  const onAll = (task: (range: { records: TaskRecords; from: number; to: number }) => HostTask): Promise<unknown[]> =>
    Promise.all(
      slicesOf(0, count, Math.max(1, Math.min(count, threads.workers))).map((slice) =>
        threads.perform(task({ records, ...slice })),
      ),
    );
  // Two passes over the ordered bytes: all of them for the alphabet, then as many as are packed.
  const surveys = (await onAll((range) => ({ kind: 'survey', ...range }))) as Survey[];
  const packing = packingOf(surveys, ordering.reverse);
  await onAll((range) => ({ kind: 'pack', ...range, packing, packed }));
  await sortPacked(kernels, pool, packed, packing, order);
  // The host has the packed keys, so the order is enough to find equal neighbors.
  await onAll((range) => ({ kind: 'mark', ...range, packing, packed }));
  const remainder = await sortOnThreads(threads, records, packing.base + packing.keySymbols);
  const left = ordering.unique ? firstsOf(records) : count;
  for (const buffer of held) memory.give(buffer);
  return {
    count: left,
    remainder,
    sentBytes: packed.keys.byteLength + packed.numbers.byteLength,
    readBackBytes: order.byteLength,
  };
}

/** Moves the first of each group of equal records to the front of the order, and returns their number. */
function firstsOf({ order, states }: TaskRecords): number {
  let left = 0;
  for (let i = 0; i < order.length; i++) if (states[i] !== SAME) order[left++] = order[i];
  return left;
}

/** Sorts packed symbols on the device and reads the numbers back into `order`. */
async function sortPacked(
  kernels: SplitKernels,
  pool: DevicePool,
  packed: PackedWords,
  packing: Packing,
  order: Uint32Array,
): Promise<void> {
  const { gpu } = pool;
  const count = order.length;
  const scratch = new Scratch(pool);
  try {
    const take = async (): Promise<{ keys: GPUBuffer; values: GPUBuffer }> => ({
      keys: await scratch.take(count * 8, 'keys'),
      values: await scratch.take(count * 4, 'numbers'),
    });
    const [entries, other] = [await take(), await take()];
    await sendFrom(gpu, entries.keys, asBytes(packed.keys));
    await sendFrom(gpu, entries.values, asBytes(packed.numbers));
    await splitEntries(scratch, kernels, entries, other, {
      count,
      packing: null,
      counters: null,
      symbolBits: packing.symbolBits,
    });
    await readInto(gpu, entries.values, 0, asBytes(order));
  } finally {
    scratch.end();
  }
}
