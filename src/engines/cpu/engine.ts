/**
 * The CPU engine: the contract of src/contract/engine.ts with worker threads over shared memory. It hands out memory,
 * gives tasks to the crew and wraps their results; it never looks at text. A task sorts a chunk in place, or
 * distributes it into buckets. Each thread works in its own memory (kernels.ts), since a kernel addresses only 4 GiB;
 * copying costs 0.04 ns a byte each way. A run is sorted text (src/runs/text-run.ts), so merges read runs sequentially.
 * Sorting only an index and gathering the text at the end would save a copy, but merges would read at random (15 to
 * 65 ns a record).
 */

import {
  type Chunk,
  type CountedRecords,
  type CountingLimits,
  type Distributed,
  type Engine,
  type KeptRun,
  OutOfOrder,
  type RecordForm,
  type Slice,
  type Sorted,
} from '../../contract/engine.js';
import type { Limit } from '../../job/job.js';
import type { Ordering } from '../../job/ordering.js';
import { mostKeyed } from '../../keys/keyed.js';
import type { DistributionLimits, Splitters } from '../../keys/splitters.js';
import { addDigests, NO_RECORDS } from '../../report/digest.js';
import type { Recorder } from '../../report/recorder.js';
import { areInOrder } from '../../runs/buckets.js';
import { lineUp } from '../../runs/combine.js';
import { isLongLine, longLine } from '../../runs/large.js';
import { createSharedMemory, type SharedMemory } from '../../system/threads/buffers.js';
import { type Crew, startedLater } from '../../system/threads/crew.js';
import { Checksums } from './checksums.js';
import { Counting } from './counting/counting.js';
import { Distribution } from './distribute.js';
import { distributedText, inMemory, type ResultMemory, slicesSorted, sortedText } from './results.js';
import { type RecordShape, shapeOf } from './shape.js';
import type { Result, Task, TaskSlice } from './task.js';
import { type EngineThreads, startWorkers } from './worker.js';

export interface CpuEngineOptions {
  readonly ordering: Ordering;
  /**
   * The records of the whole sort to keep. A chunk may drop others; a merge may drop the records after the first ones
   * requested. Null or absent: all.
   */
  readonly limit?: Limit | null;
  /**
   * Splitters that distribute chunks into buckets, which are sorted separately. Null or absent: chunks are sorted and
   * merged.
   */
  readonly splitters?: Splitters | null;
  /** Maximum bytes of text of a chunk; below 4 GiB less a few bytes. */
  readonly chunkBytes: number;
  /** The intended bytes of text of a merge. */
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
  /** The limits of each thread's table if records are counted (counting/). Null or absent: all are ordered. */
  readonly counting?: CountingLimits | null;
  /** Whether the engine hashes its input. */
  readonly verify?: boolean;
  /** See Engine. */
  readonly checksText?: boolean;
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

/**
 * Merges take up to this many chunks if these are smaller than the planned ranges: each merge costs a message and a cut
 * in each run. 250 MB with -S 16M took 6.2 s of processor time with merges of one chunk, 4.7 of two, 3.5 of four and
 * 2.8 of eight; the peak memory of the process was 110, 108, 113 and 121 MB.
 */
const MERGED_CHUNKS = 4;

/**
 * Cuts before the first merges begin, if the calling thread only cuts. 2 GB of CSV took 4.40 s with all cuts first, and
 * 4.22 s with 8 (16 threads).
 */
const CUTS_AT_ONCE = 8;

/** A bucket of up to this many times the planned size is sorted at once. */
const BUCKET_MARGIN = 4;

/** Starts the workers, without waiting for them, and returns the engine. */
export async function createCpuEngine(options: CpuEngineOptions): Promise<Engine> {
  const { ordering, recorder, splitters = null, limit = null, verify = false } = options;
  return createThreadEngine(options, (threads, shape) =>
    startWorkers(threads, shape, { ordering, presence: recorder.presence, splitters, limit, verify }),
  );
}

/**
 * An engine that merges runs in the memory of another one. Its threads start with the first merge that needs them: a
 * single run needs none.
 */
export function createMergeEngine(options: CpuEngineOptions): Engine {
  const { ordering, limit = null } = options;
  return createThreadEngine(options, (threads, shape) =>
    startedLater(() =>
      startWorkers(threads, shape, { ordering, presence: null, splitters: null, limit, verify: false }),
    ),
  );
}

/** An engine whose tasks are executed by the threads that `start` starts. */
export function createThreadEngine(
  options: CpuEngineOptions,
  start: (threads: EngineThreads, shape: RecordShape) => Crew<Task, Result[]>,
): Engine {
  const { chunkBytes, workers } = options;
  const helps = workers === 0 || options.helps === true;
  const shape = shapeOf(options.ordering);
  const sizes = sizesOf(options);
  const { lanes, rangeBytes, mergeBytes } = sizes;
  const threads = { workers, helps };
  const counting = options.counting == null ? null : new Counting(threads, shape, options.counting, chunkBytes);
  // If all records are counted, few are left to sort.
  const crew = counting === null ? start(threads, shape) : startedLater(() => start(counting.sorters, shape));
  const work = new ThreadWork(options, shape, sizes, crew, counting);
  // A plain object, not a class: code that replaces one of its functions copies the others.
  return {
    name: 'cpu',
    ...(options.verify && { input: async () => work.input }),
    ...(options.checksText && { checksText: true }),
    chunkBytes,
    mergeBytes,
    pieceBytes: chunkBytes,
    rangeBytes,
    ...(!helps && { cutsAtOnce: CUTS_AT_ONCE }),
    ...(options.streamBytes != null && { streamBytes: options.streamBytes }),
    lanes,
    mergesAhead: Math.max(1, lanes - 1),
    shared: work.pool,
    ...(counting !== null && {
      portionBytes: () => (counting.goesOn ? counting.portionBytes : Infinity),
      counted: (others: number) => work.counted(others),
    }),
    openChunk: async (expectedBytes) => work.openChunk(expectedBytes),
    order: (chunk, bytes) => work.order(chunk, bytes),
    merge: (slices, commonPrefix, form) => work.merge(slices, commonPrefix, form),
    // Unreferenced memory is garbage collected.
    trim: () => 0,
    close: () => work.close(),
  };
}

/** Properties derived from the options; see Engine. `keyedBytes`: the maximum size of a chunk with its keys. */
interface Sizes {
  readonly lanes: number;
  readonly keyedBytes: number;
  readonly mergeBytes: number;
  readonly rangeBytes: number;
}

function sizesOf({ ordering, workers, helps, chunkBytes, ...options }: CpuEngineOptions): Sizes {
  const keyedBytes = mostKeyed(ordering.key, chunkBytes);
  // Bucket sizes vary, and one or two tiles sort equally well.
  const mergeBytes = Math.max(
    keyedBytes,
    Math.min(options.rangeBytes, MERGED_CHUNKS * keyedBytes),
    options.splitters ? Math.max(BUCKET_MARGIN * options.rangeBytes, options.distributed?.bucketBytes ?? 0) : 0,
  );
  return {
    lanes: lanesOf(workers, helps === true),
    keyedBytes,
    mergeBytes,
    rangeBytes: Math.min(options.rangeBytes, mergeBytes),
  };
}

/**
 * If the calling thread sorts, three per sorting thread: during its own task it starts neither tasks nor reads.
 * Otherwise one per worker, and half as many again for chunks being read and results being written while all threads
 * are busy. The oldest may take longer than the others.
 */
function lanesOf(workers: number, helps: boolean): number {
  if (workers === 0) return 1;
  return helps ? 3 * (workers + 1) : workers + Math.ceil(workers / 2);
}

/** Chunks and merges as tasks of the threads, and the memory of both. */
class ThreadWork {
  readonly pool: SharedMemory;
  /** The digest of the records read so far. */
  input = NO_RECORDS;
  private readonly options: CpuEngineOptions;
  private readonly shape: RecordShape;
  private readonly sizes: Sizes;
  private readonly crew: Crew<Task, Result[]>;
  private readonly counting: Counting | null;
  private readonly memory: ResultMemory;
  /** Merging small records takes longer than sorting them again, but only a merge detects disorder. */
  private readonly sortsAgain: boolean;
  private readonly distribution: Distribution | null;
  private readonly filled = new WeakMap<Chunk, SharedArrayBuffer>();
  /** The last sorted chunk's growth by its keys, as a factor; null: no chunk yet, or no keys. */
  private growth: number | null = null;
  /** Bytes of records that were ordered, not counted, and whether the chunks that follow hold counted ones. */
  private ordered = 0;
  private hasCounted = false;
  /** Chunks sorted, and those that were already one run as they were read. */
  private readonly chunks = { all: 0, 'in order': 0, 'in reverse': 0 };

  constructor(
    options: CpuEngineOptions,
    shape: RecordShape,
    sizes: Sizes,
    crew: Crew<Task, Result[]>,
    counting: Counting | null,
  ) {
    const { ordering, residentBytes, chunkBytes, splitters } = options;
    this.options = options;
    this.shape = shape;
    this.sizes = sizes;
    this.crew = crew;
    this.counting = counting;
    // Each lane holds a chunk, or the result of a merge and the stored slices it reads. Buffers of released runs are
    // reused: shared memory is freed only when all threads have collected garbage.
    this.pool = createSharedMemory(2 * sizes.lanes + 1 + Math.ceil((residentBytes ?? 0) / chunkBytes));
    const budget = { limit: residentBytes, used: 0 };
    this.memory = { pool: this.pool, budget, shape, ordering, checksums: new Checksums(shape) };
    this.sortsAgain = shape.small !== null && (options.limit ?? null) === null && options.unchecked !== true;
    const limits = options.distributed ?? { bucketBytes: Infinity, bytes: Infinity, share: 1, judgedBytes: 0 };
    this.distribution = splitters ? new Distribution(splitters.keys.length + 1, limits) : null;
  }

  openChunk(expectedBytes = this.options.chunkBytes): Chunk {
    const { filled, pool } = this;
    const { chunkBytes } = this.options;
    // Mostly one size, so that buffers can be reused.
    const capacity = 2 * expectedBytes > chunkBytes ? chunkBytes : expectedBytes;
    const buffer = pool.take(capacity);
    const chunk: Chunk = {
      capacity,
      bytes: new Uint8Array(buffer, 0, capacity),
      openPiece: async (offset) => ({ bytes: new Uint8Array(buffer, offset, capacity - offset), commit: () => {} }),
      // A chunk being ordered has nothing to release.
      release: () => {
        if (filled.delete(chunk)) pool.give(buffer);
      },
    };
    filled.set(chunk, buffer);
    return chunk;
  }

  async order(chunk: Chunk, bytes: number): Promise<(Sorted | Distributed)[]> {
    const text = this.filled.get(chunk);
    if (text === undefined) throw new Error('the chunk is not of this engine, or was given back');
    this.filled.delete(chunk);
    const left = await this.count(text, bytes);
    this.ordered += left;
    if (left > 0 || this.counting === null) return this.orderText(text, left);
    this.pool.give(text);
    return [];
  }

  /** The records that were counted instead of ordered. `others`: the bytes of those in no chunk. */
  async counted(others: number): Promise<CountedRecords | null> {
    const { counting, ordered } = this;
    const hadRoom = counting!.goesOn;
    const counted = await counting!.end(ordered + others);
    this.hasCounted = counted !== null;
    if (counted !== null)
      this.options.recorder.note(
        hadRoom
          ? 'equal records were counted as they were read, and only the distinct ones were sorted'
          : 'counting equal records ended before the input did: there were too many distinct ones',
      );
    return counted;
  }

  /** Counts the first records of a text, and moves the others to its beginning; returns the bytes of these. */
  private async count(text: SharedArrayBuffer, bytes: number): Promise<number> {
    const { counting } = this;
    if (counting === null || !counting.goesOn) return bytes;
    const start = performance.now();
    const done = await counting.take(text, bytes);
    if (done > 0) {
      this.options.recorder.span('order', start, done);
      new Uint8Array(text).copyWithin(0, done, bytes);
    }
    return bytes - done;
  }

  private async orderText(text: SharedArrayBuffer, bytes: number): Promise<(Sorted | Distributed)[]> {
    const { pool, growth, distribution, memory } = this;
    const { keyedBytes } = this.sizes;
    const start = performance.now();
    const target = growth === null ? null : pool.take(Math.min(keyedBytes, Math.ceil(bytes * growth * TARGET_MARGIN)));
    const results = await this.crew.perform({
      kind: 'order',
      text,
      bytes,
      most: keyedBytes,
      target,
      distribute: (distribution?.goesOn ?? false) && this.counting?.isLittleLeft !== true,
      sums: this.options.checksText === true && !this.hasCounted && !this.shape.encoded && !this.shape.keyed,
    });
    if (results[0]?.input !== undefined) this.input = addDigests(this.input, results[0].input);
    if (this.shape.keyed) {
      pool.give(text);
      if (target !== null && results[0].inTarget !== true) pool.give(target);
      if (bytes > 0) this.growth = results.reduce((sum, { outcome }) => sum + outcome.bytes, 0) / bytes;
    }
    for (const { outcome } of results) if (outcome.buckets !== undefined) distribution!.add(outcome.buckets);
    this.options.recorder.span('order', start, bytes);
    if (!this.hasCounted) {
      const natural = results.length === 1 ? results[0].outcome.natural : undefined;
      this.chunks.all++;
      if (natural !== undefined) this.chunks[natural]++;
    }
    return results.map((result) => {
      const { buckets } = result.outcome;
      return buckets === undefined ? sortedText(memory, result) : distributedText(memory, result, buckets);
    });
  }

  async merge(slices: readonly Slice<KeptRun>[], commonPrefix: number, form: RecordForm = 'plain'): Promise<Sorted[]> {
    const { shape } = this;
    const { ordering, unchecked } = this.options;
    const written = shape.keyed || shape.encoded ? form : 'run';
    const changes = written !== 'run';
    const filled = slices.filter(({ from, to }) => to.byte > from.byte);
    const inOrder = areInOrder(filled) ? filled : null;
    const line =
      (changes && shape.keyed) || inOrder === null || unchecked === true || filled.length === 0
        ? null
        : filled.length === 1
          ? inOrder
          : lineUp(inOrder, ordering);
    if (line !== null && !changes) return [slicesSorted(line)];
    if (filled.length === 1 && unchecked !== true && isLongLine(filled[0], this.sizes.mergeBytes))
      return [await longLine(filled[0], ordering, form)];
    // The kernels may skip shared bytes of the key, but not of the record compared after it as a last resort.
    const depth = shape.keyLength < 0 ? commonPrefix : Math.min(commonPrefix, shape.keyLength);
    return this.combined(line ?? filled, (placed, target) =>
      inOrder === null || (this.sortsAgain && line === null)
        ? { kind: 'bucket', slices: placed, target, form: written }
        : line !== null
          ? { kind: 'decode', slices: placed, target }
          : { kind: 'merge', slices: placed, depth, target, form: written },
    );
  }

  async close(): Promise<void> {
    const { chunks } = this;
    for (const natural of ['in order', 'in reverse'] as const) {
      if (chunks[natural] > 0)
        this.options.recorder.note(
          `${chunks[natural]} of ${chunks.all} chunks were already ${natural}, and were not sorted`,
        );
    }
    await Promise.all([this.crew.close(), this.counting?.close()]);
  }

  /** Runs a task that makes one text of slices. `taskOf` receives their memory, and that of the result. */
  private async combined(
    slices: readonly Slice<KeptRun>[],
    taskOf: (placed: TaskSlice[], target: SharedArrayBuffer) => Task,
  ): Promise<Sorted[]> {
    const { pool, memory } = this;
    const start = performance.now();
    const { placed, staged } = await inMemory(slices, pool);
    const bytes = placed.reduce((sum, { from, to }) => sum + to - from, 0);
    // Mostly one size, so that buffers can be reused.
    const target = pool.take(Math.max(bytes, this.sizes.rangeBytes));
    const results = await this.crew.perform(taskOf(placed, target));
    if (staged !== null) pool.give(staged);
    this.options.recorder.span('merge', start, bytes);
    // Only inputs of -m are checked: a slice of several segments is not in order as a whole.
    if (this.options.unchecked === true && results.some(({ outcome }) => outcome.isOutOfOrder === true)) {
      pool.give(target);
      throw new OutOfOrder('a slice is not in order');
    }
    return results.map((result) => sortedText(memory, result));
  }
}
