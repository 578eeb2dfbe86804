/**
 * The CPU engine: the contract of src/engines/contract.ts with worker threads over shared memory. It hands out memory, gives
 * tasks to the crew and wraps their results; it never looks at text. A task sorts a chunk in place, or distributes it
 * into buckets. Each thread works in its own memory (kernels.ts), since a kernel addresses only 4 GiB; copying costs
 * 0.04 ns a byte each way. A run is sorted text and a sparse index (run.ts), so merges read runs sequentially. Text
 * left unsorted beside an order, gathered once at the end, would save a copy but make merges read at random (15 to 65
 * ns a record).
 */

import type { Limit, Ordering } from '../../job/job.js';
import { mostKeyed } from '../../keys/keyed.js';
import type { DistributionLimits, Splitters } from '../../keys/splitters.js';
import { addDigests, NO_RECORDS } from '../../report/digest.js';
import type { Recorder } from '../../report/recorder.js';
import { areInOrder } from '../../runs/buckets.js';
import { lineUp } from '../../runs/combine.js';
import { isLongLine, longLine } from '../../runs/large.js';
import { createSharedMemory } from '../../system/threads/buffers.js';
import type { Crew } from '../../system/threads/crew.js';
import { type Chunk, type Engine, OutOfOrder } from '../contract.js';
import { Distribution } from './distribute.js';
import { distributedText, inMemory, type ResultMemory, sliceSorted, sortedText } from './results.js';
import { type RecordShape, shapeOf } from './shape.js';
import type { Result, Task } from './task.js';
import { startWorkers } from './worker.js';

export interface CpuEngineOptions {
  readonly ordering: Ordering;
  /**
   * The records that the whole sort must give. A chunk may drop others; a merge may drop what follows the first ones
   * wanted. Null or absent: all.
   */
  readonly limit?: Limit | null;
  /**
   * Splitters that distribute chunks into buckets, which are sorted separately. Null or absent: chunks are sorted and
   * merged.
   */
  readonly splitters?: Splitters | null;
  /** Maximum bytes of text of a chunk, and, without keys and splitters, of a merge; below 4 GiB less a few bytes. */
  readonly chunkBytes: number;
  /** Bytes of text that a merge should be given. */
  readonly rangeBytes: number;
  /** Whether slices may be out of order, as the inputs of -m are. Slices that need no merge are then checked too. */
  readonly unchecked?: boolean;
  /** Bytes of the first chunks of a stream; null or absent: chunkBytes. */
  readonly streamBytes?: number | null;
  /**
   * Once one of these limits is passed, later chunks are sorted instead of distributed. Null or absent: all are
   * distributed.
   */
  readonly distributed?: DistributionLimits | null;
  /** Whether the engine hashes its input. */
  readonly verify?: boolean;
  /** Number of worker threads. */
  readonly workers: number;
  /** Whether the calling thread sorts too. Without workers it always does. */
  readonly helps?: boolean;
  /** Maximum bytes of resident runs; null: unlimited. */
  readonly residentBytes: number | null;
  readonly recorder: Recorder;
}

/**
 * Margin over the expected size of a chunk's keyed lines. A buffer that a thread has to make itself is freed only at
 * garbage collection.
 */
const TARGET_MARGIN = 1.125;

/** A bucket of up to this many times the planned size is sorted at once. */
const BUCKET_MARGIN = 4;

/** Starts the workers, without waiting for them, and returns the engine. */
export async function createCpuEngine(options: CpuEngineOptions): Promise<Engine> {
  return createThreadEngine(options, (workers, helps, shape) =>
    startWorkers(
      workers,
      helps,
      shape,
      options.ordering,
      options.splitters ?? null,
      options.limit ?? null,
      options.verify ?? false,
    ),
  );
}

/** An engine whose tasks are executed by the threads that `start` starts. */
export function createThreadEngine(
  options: CpuEngineOptions,
  start: (workers: number, helps: boolean, shape: RecordShape) => Crew<Task, Result[]>,
): Engine {
  const { ordering, chunkBytes, workers, recorder } = options;
  const helps = workers === 0 || options.helps === true;
  const shape = shapeOf(ordering);
  // If the calling thread sorts, three per sorting thread: during its own task it hands out none and has none read.
  // Otherwise one per worker, and half as many for chunks being read and results being written while all threads are
  // busy. The oldest may take longer than the others.
  const lanes = workers === 0 ? 1 : helps ? 3 * (workers + 1) : workers + Math.ceil(workers / 2);
  const crew = start(workers, helps, shape);
  const keyedBytes = mostKeyed(ordering.key, chunkBytes);
  // Merging small records takes longer than sorting them again, but only a merge finds disorder.
  const sortsAgain = shape.small !== null && (options.limit ?? null) === null && options.unchecked !== true;
  // Bucket sizes vary, and one or two tiles sort equally well.
  const mergeBytes = Math.max(
    keyedBytes,
    options.splitters ? Math.max(BUCKET_MARGIN * options.rangeBytes, options.distributed?.bucketBytes ?? 0) : 0,
  );
  const rangeBytes = Math.min(options.rangeBytes, mergeBytes);
  // Each lane holds a chunk, or the result of a merge and the stored slices it reads. Buffers of released runs are
  // reused: shared memory is freed only when all threads have collected garbage.
  const pool = createSharedMemory(2 * lanes + 1 + Math.ceil((options.residentBytes ?? 0) / chunkBytes));
  const memory: ResultMemory = { pool, budget: { limit: options.residentBytes, used: 0 }, shape, ordering };
  const filled = new WeakMap<Chunk, SharedArrayBuffer>();
  /** The last sorted chunk's growth by its keys, as a factor; null: no chunk yet, or no keys. */
  let growth: number | null = null;
  let input = NO_RECORDS;
  /** Chunks sorted, and those that were already one run as they were read. */
  const chunks = { all: 0, 'in order': 0, 'in reverse': 0 };
  const distribution = options.splitters
    ? new Distribution(
        options.splitters.keys.length + 1,
        options.distributed ?? { bucketBytes: Infinity, bytes: Infinity, share: 1, judgedBytes: 0 },
      )
    : null;

  return {
    name: 'cpu',
    ...(options.verify && { input: async () => input }),
    chunkBytes,
    mergeBytes,
    pieceBytes: chunkBytes,
    rangeBytes,
    ...(options.streamBytes != null && { streamBytes: options.streamBytes }),
    lanes,
    mergesAhead: Math.max(1, lanes - 1),
    shared: pool,

    async openChunk(expectedBytes = chunkBytes) {
      // Mostly one size, so that buffers can be reused.
      const capacity = 2 * expectedBytes > chunkBytes ? chunkBytes : expectedBytes;
      const buffer = pool.take(capacity);
      const chunk: Chunk = {
        capacity,
        openPiece: async (offset) => ({ bytes: new Uint8Array(buffer, offset, capacity - offset), commit: () => {} }),
        // A chunk being ordered has nothing to release.
        release: () => {
          if (filled.delete(chunk)) pool.give(buffer);
        },
      };
      filled.set(chunk, buffer);
      return chunk;
    },

    async order(chunk, bytes) {
      const text = filled.get(chunk);
      if (text === undefined) throw new Error('the chunk is not of this engine, or was given back');
      filled.delete(chunk);
      const start = performance.now();
      const target =
        growth === null ? null : pool.take(Math.min(keyedBytes, Math.ceil(bytes * growth * TARGET_MARGIN)));
      const results = await crew.perform({
        kind: 'order',
        text,
        bytes,
        most: keyedBytes,
        target,
        distribute: distribution?.goesOn ?? false,
      });
      if (results[0]?.input !== undefined) input = addDigests(input, results[0].input);
      if (shape.keyed) {
        pool.give(text);
        if (target !== null && results[0].inTarget !== true) pool.give(target);
        if (bytes > 0) growth = results.reduce((sum, { outcome }) => sum + outcome.bytes, 0) / bytes;
      }
      for (const { outcome } of results) if (outcome.buckets !== undefined) distribution!.add(outcome.buckets);
      recorder.span('order', start, bytes);
      chunks.all++;
      const natural = results.length === 1 ? results[0].outcome.natural : undefined;
      if (natural !== undefined) chunks[natural]++;
      return results.map((result) => {
        const { buckets } = result.outcome;
        return buckets === undefined ? sortedText(memory, result) : distributedText(memory, result, buckets);
      });
    },

    async merge(slices, commonPrefix, form = 'output') {
      const plain = (shape.keyed || shape.encoded) && form === 'output';
      const filled = slices.filter(({ from, to }) => to.byte > from.byte);
      const inOrder = areInOrder(filled) ? filled : null;
      const line =
        (plain && shape.keyed) || inOrder === null || options.unchecked === true || filled.length === 0
          ? null
          : filled.length === 1
            ? inOrder
            : lineUp(inOrder, ordering);
      if (line !== null && !plain) return line.map(sliceSorted);
      if (filled.length === 1 && options.unchecked !== true && isLongLine(filled[0], mergeBytes))
        return [await longLine(filled[0], ordering)];
      const start = performance.now();
      const { placed, staged } = await inMemory(line ?? filled, pool);
      const bytes = placed.reduce((sum, { from, to }) => sum + to - from, 0);
      // Mostly one size, so that buffers can be reused.
      const target = pool.take(Math.max(bytes, rangeBytes));
      // The kernels may skip shared bytes of the key, but not of the record compared after it as a last resort.
      const depth = shape.keyLength < 0 ? commonPrefix : Math.min(commonPrefix, shape.keyLength);
      const results = await crew.perform(
        inOrder === null || (sortsAgain && line === null)
          ? { kind: 'bucket', slices: placed, target, plain }
          : line !== null
            ? { kind: 'decode', slices: placed, target }
            : { kind: 'merge', slices: placed, depth, target, plain },
      );
      if (staged !== null) pool.give(staged);
      recorder.span('merge', start, bytes);
      // Only inputs of -m are checked: a slice of several segments is not in order as a whole.
      if (options.unchecked === true && results.some(({ outcome }) => outcome.isOutOfOrder === true)) {
        pool.give(target);
        throw new OutOfOrder('a slice is not in order');
      }
      return results.map((result) => sortedText(memory, result));
    },

    // Unreferenced memory is garbage collected.
    trim: () => 0,
    close: async () => {
      for (const natural of ['in order', 'in reverse'] as const) {
        if (chunks[natural] > 0)
          recorder.note(`${chunks[natural]} of ${chunks.all} chunks were already ${natural}, and were not sorted`);
      }
      await crew.close();
    },
  };
}
