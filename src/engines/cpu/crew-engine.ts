/**
 * Performs the sorts of chunks and the merges as tasks of a crew of threads over shared memory. Hands out memory, gives
 * tasks to the crew and wraps their results; never looks at text.
 */

import {
  type Chunk,
  type Distributed,
  type Engine,
  type KeptRun,
  type MergedBlocks,
  OutOfOrder,
  type Overlap,
  type RecordForm,
  type Slice,
  type Sorted,
} from '../../contract/engine.js';
import { addDigests, NO_RECORDS } from '../../report/digest.js';
import { areSorted } from '../../runs/buckets.js';
import { createSharedMemory, type SharedMemory } from '../../system/threads/buffers.js';
import type { Crew } from '../../system/threads/crew.js';
import { Arena } from './arena.js';
import { Checksums } from './checksums.js';
import { roomForBlocks } from './compress-text.js';
import { Distribution } from './distribute.js';
import type { GroupReport, GroupTask } from './group.js';
import { type CpuEngineOptions, type Sizes, sizesOf, threadsOf } from './options.js';
import {
  compressedResult,
  distributedResult,
  groupResult,
  inMemory,
  type ResultMemory,
  slicesSorted,
  sortedResult,
} from './results.js';
import type { RecordShape } from './shape.js';
import { packSlices, type Result, type Task, type TaskSlices } from './task.js';

/**
 * Margin over the expected size of a chunk's keyed lines. A buffer that a thread has to make itself is freed only at
 * garbage collection.
 */
const TARGET_MARGIN = 1.125;

/**
 * Cuts before the first merges begin, if the calling thread only cuts. 2 GB of CSV took 4.40 s with all cuts first, and
 * 4.22 s with 8 (16 threads).
 */
const CUTS_AT_ONCE = 8;

/** Groups that are sorted or wait for it, for each thread. */
const GROUPS_PER_THREAD = 2;
/** Bytes of each buffer for sorted groups, at most; large, so that a large input needs few. */
const AREA_BYTES = 256 * 2 ** 20;
/** Bytes of sorted records for each byte of a group, until one is sorted, and a margin over what is expected. */
const FIRST_GROWTH = 1.5;
const GROUP_MARGIN = 1.1;

/** Marks a chunk that holds distinct, counted records instead of text as it was read. */
export interface DistinctRecords {
  /** Whether there are too few to distribute them. */
  readonly areFew: boolean;
}

/** A group of stored records that was sorted. */
export interface SortedGroup {
  readonly report: GroupReport;
  /** Null: it has no records, or could not be sorted. */
  readonly sorted: Sorted | null;
}

export interface CrewEngine extends Engine {
  /** How many groups keep all threads busy. */
  readonly groupsAtOnce: number;
  /** Sorts a group. Only if the engine was opened with `stored`. */
  orderGroup(group: Omit<GroupTask, 'kind' | 'target'>): Promise<SortedGroup>;
  /** See Engine. `distinct`: null or absent if the chunk holds text as it was read. */
  order(chunk: Chunk, bytes: number, distinct?: DistinctRecords | null): Promise<(Sorted | Distributed)[]>;
}

/** An engine whose tasks `crew` executes. Closing it closes the crew. */
export function crewEngine(options: CpuEngineOptions, shape: RecordShape, crew: Crew<Task, Result[]>): CrewEngine {
  const { chunkBytes } = options;
  const sizes = sizesOf(options);
  const { lanes, rangeBytes, mergeBytes } = sizes;
  const work = new CrewWork(options, shape, sizes, crew);
  const groupsAtOnce = GROUPS_PER_THREAD * (options.workers + Number(threadsOf(options).helps));
  return {
    name: 'cpu',
    ...(options.verify && { input: async () => work.input }),
    ...(options.checksText && { checksText: true }),
    chunkBytes,
    mergeBytes,
    pieceBytes: chunkBytes,
    rangeBytes,
    ...(!threadsOf(options).helps && { cutsAtOnce: CUTS_AT_ONCE }),
    ...(options.firstChunkBytes != null && { firstChunkBytes: options.firstChunkBytes }),
    lanes,
    // Merges of groups are short, and wait for writers.
    mergesAhead: shape.sized ? groupsAtOnce : Math.max(1, lanes - 1),
    shared: work.pool,
    openChunk: async (expectedBytes) => work.openChunk(expectedBytes),
    order: (chunk, bytes, distinct) => work.order(chunk, bytes, distinct),
    groupsAtOnce,
    orderGroup: (group) => work.orderGroup(group),
    merge: (slices, commonPrefix, form, overlap, blocks) => work.merge(slices, commonPrefix, form, overlap, blocks),
    // Unreferenced memory is garbage collected.
    trim: () => 0,
    close: () => work.close(),
  };
}

class CrewWork {
  readonly pool: SharedMemory;
  /** The digest of the records read so far. */
  input = NO_RECORDS;
  private readonly options: CpuEngineOptions;
  private readonly shape: RecordShape;
  private readonly sizes: Sizes;
  private readonly crew: Crew<Task, Result[]>;
  private readonly memory: ResultMemory;
  /** The memory of sorted groups. */
  private readonly arena: Arena;
  /**
   * Merging small records, or short slices of many groups, takes longer than sorting them again. But only a merge
   * detects disorder.
   */
  private readonly sortsAgain: boolean;
  private readonly distribution: Distribution | null;
  private readonly filled = new WeakMap<Chunk, SharedArrayBuffer>();
  /** The last sorted chunk's growth by its keys, as a factor; null: no chunk yet, or no keys. */
  private growth: number | null = null;
  /** The number of chunks sorted, and how many of them were already in order, or in reverse, when they were read. */
  private readonly chunks = { all: 0, 'in order': 0, 'in reverse': 0 };

  constructor(options: CpuEngineOptions, shape: RecordShape, sizes: Sizes, crew: Crew<Task, Result[]>) {
    const { ordering, residentBytes, chunkBytes, splitters } = options;
    this.options = options;
    this.shape = shape;
    this.sizes = sizes;
    this.crew = crew;
    // Each lane holds a chunk, or the result of a merge and the stored slices it reads. Buffers of released runs are
    // reused: shared memory is freed only when all threads have collected garbage.
    this.pool = createSharedMemory(2 * sizes.lanes + 1 + Math.ceil((residentBytes ?? 0) / chunkBytes));
    const budget = { limit: residentBytes, used: 0 };
    this.memory = { pool: this.pool, budget, shape, ordering, checksums: new Checksums(shape) };
    this.arena = new Arena(Math.min(AREA_BYTES, residentBytes ?? Infinity));
    const isEasy = shape.small !== null || shape.sized;
    this.sortsAgain = isEasy && (options.limit ?? null) === null && options.mayBeUnsorted !== true;
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

  async order(chunk: Chunk, bytes: number, distinct: DistinctRecords | null = null): Promise<(Sorted | Distributed)[]> {
    const text = this.filled.get(chunk);
    if (text === undefined) throw new Error('the chunk is not of this engine, or was given back');
    this.filled.delete(chunk);
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
      distribute: (distribution?.goesOn ?? false) && distinct?.areFew !== true,
      sums: this.options.checksText === true && distinct === null && !this.shape.encoded && !this.shape.keyed,
    });
    if (results[0]?.input !== undefined) this.input = addDigests(this.input, results[0].input);
    if (this.shape.keyed) {
      pool.give(text);
      if (target !== null && results[0].inTarget !== true) pool.give(target);
      if (bytes > 0) this.growth = results.reduce((sum, { outcome }) => sum + outcome.bytes, 0) / bytes;
    }
    for (const { outcome } of results) if (outcome.buckets !== undefined) distribution!.add(outcome.buckets);
    this.options.recorder.span('order', start, bytes);
    if (distinct === null) {
      const natural = results.length === 1 ? results[0].outcome.natural : undefined;
      this.chunks.all++;
      if (natural !== undefined) this.chunks[natural]++;
    }
    return results.map((result) => {
      const { buckets } = result.outcome;
      return buckets === undefined ? sortedResult(memory, result) : distributedResult(memory, result, buckets);
    });
  }

  async orderGroup(group: Omit<GroupTask, 'kind' | 'target'>): Promise<SortedGroup> {
    const { arena, memory } = this;
    const start = performance.now();
    const target = arena.take(Math.ceil(group.text * (this.growth ?? FIRST_GROWTH) * GROUP_MARGIN));
    const [result] = (await this.crew.perform({ kind: 'group', ...group, target })) as [Result];
    const { outcome, report } = result;
    this.options.recorder.span('order', start, group.text);
    if (outcome.records === 0) {
      arena.give(target);
      return { report: report!, sorted: null };
    }
    this.growth = Math.max(this.growth ?? 0, outcome.bytes / group.text);
    const isInArena = outcome.bytes <= target.bytes;
    if (!isInArena) arena.give(target);
    // A message turns the same memory into a new object.
    const placed = isInArena ? { ...result, buffer: target.buffer } : result;
    return { report: report!, sorted: groupResult(memory, placed, () => isInArena && arena.give(target)) };
  }

  async merge(
    slices: readonly Slice<KeptRun>[],
    commonPrefix: number,
    form: RecordForm = 'plain',
    overlap: Overlap = 'possible',
    blocks: MergedBlocks | null = null,
  ): Promise<Sorted[]> {
    const { shape } = this;
    const written = shape.keyed || shape.encoded ? form : 'run';
    const filled = slices.filter(({ from, to }) => to.byte > from.byte);
    const inOrder = areSorted(filled) ? filled : null;
    const isInLine = overlap === 'none' || filled.length === 1;
    // Only a merge drops keys, and only a merge detects disorder.
    const mustMerge = this.options.mayBeUnsorted === true || (shape.keyed && written !== 'run');
    const line = isInLine && !mustMerge ? inOrder : null;
    if (line !== null && written === 'run') return [slicesSorted(line)];
    // The kernels may skip shared bytes of the key, but not of the record compared after it as a last resort.
    const depth = shape.keyLength < 0 ? commonPrefix : Math.min(commonPrefix, shape.keyLength);
    return this.combined(filled, blocks, (placed, target) =>
      inOrder === null || (this.sortsAgain && line === null)
        ? { kind: 'bucket', slices: placed, target, form: written, blocks }
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
    await this.crew.close();
  }

  /** Runs a task that turns slices into one text. `taskOf` receives the memory of the slices and of the result. */
  private async combined(
    slices: readonly Slice<KeptRun>[],
    blocks: MergedBlocks | null,
    taskOf: (placed: TaskSlices, target: SharedArrayBuffer) => Task,
  ): Promise<Sorted[]> {
    const { pool, memory } = this;
    const start = performance.now();
    const { placed, staged } = await inMemory(slices, pool);
    const bytes = placed.reduce((sum, { from, to }) => sum + to - from, 0);
    // Mostly one size, so that buffers can be reused.
    const most = Math.max(bytes, this.sizes.rangeBytes);
    const target = pool.take(blocks === null ? most : roomForBlocks(most, blocks));
    const results = await this.crew.perform(taskOf(packSlices(placed), target));
    if (staged !== null) pool.give(staged);
    this.options.recorder.span('merge', start, bytes);
    // Only inputs of -m are checked: a slice of several segments is not in order as a whole.
    if (this.options.mayBeUnsorted === true && results.some(({ outcome }) => outcome.isOutOfOrder === true)) {
      pool.give(target);
      throw new OutOfOrder('a slice is not in order');
    }
    return results.map((result) =>
      result.compressed === undefined
        ? sortedResult(memory, result)
        : compressedResult(memory, result, result.compressed, blocks!.wantsText),
    );
  }
}
