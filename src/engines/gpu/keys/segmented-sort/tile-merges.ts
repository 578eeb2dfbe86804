/**
 * The common part of segmented sort and locality sort (Baxter: Segmented Sort and Locality Sort, moderngpu 1). Tiles
 * are sorted, then lists of tiles are merged level by level, only where they are out of order. The device queues its
 * own work, so the host submits everything at once. Block sort writes all tiles into `to` (side 0). A window of at most
 * a tile is merged in place; a tile of a larger merge changes sides. After the last level tiles on side 1 are copied to
 * side 0. So nearly sorted input costs little more than one pass over memory, and no tile is copied more than once.
 */

import type { MergeStatistics } from '../../../../report/merges.js';
import type { Gpu } from '../../device/device.js';
import {
  type Binding,
  type BufferBinding,
  bind,
  Kernel,
  loadKernels,
  readBack,
  submitPass,
} from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { SEGMENT_TILE } from '../../thresholds.js';
import {
  type FixedKeySpec,
  type KeyArrays,
  keyConstants,
  keysOf,
  keyWords,
  valueBindings,
  valueSideBindings,
  withNetwork,
} from '../key-sort.js';

/** Tuning parameters; the defaults are for large GPUs. */
export interface TileMergeTuning {
  /** Keys per tile: a power of two from 64 to 2,048. Default: as many as fit in workgroup memory. */
  readonly tile?: number;
  /** True: keys without values are sorted by the stable network too, to compare the two. */
  readonly stableNetwork?: boolean;
  /**
   * How the workgroups that serve a queue share its jobs. `strided`: of n workgroups, each takes every n-th job.
   * `counted`: each takes the next job, by a counter in device memory. Default: `strided`, because no job is larger
   * than a tile.
   */
  readonly sharing?: 'strided' | 'counted';
  /** Maximum workgroups that serve a queue. Default: 8,192. */
  readonly servers?: number;
}

/** More workgroup memory costs more occupancy than larger tiles save. */
const MAX_WORKGROUP_BYTES = 32768;
/** Keys per thread. */
const PER_THREAD = 8;
/** Tiles of block sort per dispatch, few enough for a small GPU's watchdog. */
const LAUNCH_TILES = 16384;
/** Maximum keys of all levels submitted at once, for the same reason. */
const SUBMIT_KEYS = 2 ** 29;
/** Tiles per workgroup of plan-merges.wgsl, and of plan-copies.wgsl. */
const MERGE_GROUP = 63;
const COPY_GROUP = 64;
/**
 * Maximum workgroups that serve a queue: enough to keep a large GPU busy, few enough that a level without jobs costs
 * little. An indirect dispatch would start as many as there are jobs, but encoding it takes 75 us instead of 4, during
 * which the device waits (H200).
 */
const MOST_SERVERS = 8192;
/**
 * Words of a queue's counters (kernels/wgsl/keys/segmented-sort/job-queue.wgsl). JOBS_WORD counts its jobs, WHOLE_WORD
 * those that write whole tiles. The word after that counts what level 0 leaves.
 */
const QUEUE_WORDS = 4;
const JOBS_WORD = 0;
const WHOLE_WORD = 1;

/** Bytes of workgroup memory for `tile` keys: keys, values, and a word per thread. */
function tileBytes(spec: FixedKeySpec, tile: number): number {
  return 4 * (tile * (keyWords(spec) + (spec.values ? 1 : 0)) + tile / PER_THREAD);
}

/** The tile size of sorts by `spec`. */
export function tileOf(gpu: Gpu, spec: FixedKeySpec, tuning: TileMergeTuning): number {
  if (tuning.tile !== undefined) return tuning.tile;
  // Eight keys for each of at most 256 threads.
  let tile = SEGMENT_TILE;
  while (tileBytes(spec, tile) > Math.min(gpu.workgroupBytes, MAX_WORKGROUP_BYTES)) tile /= 2;
  return tile;
}

/** What the kernels are compiled for. */
interface Segmenting {
  /** Whether keys are sorted in segments. */
  readonly segmented: boolean;
}

function kernelsOf(gpu: Gpu, spec: FixedKeySpec, tuning: TileMergeTuning, { segmented }: Segmenting) {
  const { stableNetwork = false, sharing = 'strided' } = tuning;
  const consts = { TILE: tileOf(gpu, spec, tuning) };
  const variants = { SHARING: sharing };
  const keys = keyConstants(spec, consts);
  // For kernels that need to know where segments end.
  const inSegments = keyConstants(spec, consts, { SEGMENTED: segmented ? 1 : 0 });
  return {
    blockSort: new Kernel(gpu, 'keys/segmented-sort/block-sort', withNetwork(inSegments, spec.values || stableNetwork)),
    planMerges: new Kernel(gpu, 'keys/segmented-sort/plan-merges', inSegments),
    mergeJobs: new Kernel(gpu, 'keys/segmented-sort/merge-jobs', { ...keys, variants }),
    planCopies: new Kernel(gpu, 'keys/segmented-sort/plan-copies'),
    // It does not compare keys, so all types of a width share it.
    copyJobs: new Kernel(gpu, 'keys/segmented-sort/copy-jobs', { consts: keys.consts!, variants }),
  };
}

/** Compiles what `sortTiles` needs. */
export function loadTileMerges(
  gpu: Gpu,
  spec: FixedKeySpec,
  tuning: TileMergeTuning,
  keys: Segmenting,
): Promise<unknown> {
  return loadKernels(kernelsOf(gpu, spec, tuning, keys));
}

/** Where each level's head ranges begin. The number of lists halves from level to level. */
function rangeOffsets(tiles: number, levels: number): number[] {
  const offsets = [0];
  for (let level = 0, lists = tiles; level <= levels; level++, lists = Math.ceil(lists / 2))
    offsets.push(offsets[level] + lists);
  return offsets;
}

/** A sort whose tiles are sorted, to be merged level by level. */
export interface TileSort {
  readonly levels: number;
  /**
   * Submits the merges of levels `from` to `to` - 1 and, with the last level, the copies that put all keys in their
   * final place. Levels must run in order, and all of them must run unless the first one leaves nothing.
   */
  merge(from: number, to: number): void;
  /**
   * Words (the `at`-th of a buffer) that are zero if level 0 left nothing to later levels. Then all keys are sorted and
   * in their final place.
   */
  readonly left: readonly { readonly buffer: GPUBuffer; readonly at: number }[];
  statistics(): Promise<MergeStatistics>;
  /** Returns the buffers of the sort. Submitted work still runs. */
  end(): void;
}

/** The keys that are sorted tile by tile, and how. */
interface TileSortJob {
  readonly spec: FixedKeySpec;
  readonly tuning: TileMergeTuning;
  readonly count: number;
  /** Head flags: sorts inside segments. Null: all keys are one segment. */
  readonly flags: BufferBinding | null;
}

/**
 * Like startTiles, with all levels. `statistics` receives statistics of the merges. If it is given, the promise waits
 * for the device.
 */
export async function sortTiles(
  scratch: Scratch,
  job: TileSortJob,
  from: KeyArrays,
  to: KeyArrays,
  statistics?: (statistics: MergeStatistics) => void,
): Promise<void> {
  const sort = await startTiles(scratch, job, from, to);
  sort.merge(0, sort.levels);
  if (statistics !== undefined) statistics(await sort.statistics());
  sort.end();
}

/**
 * Submits the sort of the tiles of the first `count` keys of `from`, to be merged into `to`. The contents of `from` are
 * lost.
 */
export async function startTiles(
  scratch: Scratch,
  job: TileSortJob,
  from: KeyArrays,
  to: KeyArrays,
): Promise<TileSort> {
  const sort = await takeTiles(scratch, job, from, to);
  const { gpu, levels, queue } = sort;
  submitBlockSort(sort);
  const together = Math.max(1, Math.floor(SUBMIT_KEYS / Math.max(job.count, 1)));
  return {
    levels,
    merge: (first, last) => {
      for (let level = first; level < last; level += together) {
        submitPass(gpu, 'sort', 'merge levels', (pass) => {
          for (let l = level; l < Math.min(level + together, last); l++) encodeLevel(sort, pass, l);
          if (Math.min(level + together, last) === levels) encodeCopies(sort, pass);
        });
      }
    },
    left: [
      { buffer: queue.counters.buffer, at: WHOLE_WORD },
      { buffer: queue.counters.buffer, at: WHOLE_WORD + 1 },
    ],
    statistics: () => readStatistics(gpu, queue.counters, sort.tiles, levels),
    end: () => {
      for (const { buffer } of [sort.ranges, sort.sides, queue.jobs, queue.counters]) scratch.drop(buffer);
    },
  };
}

/** A sort of tiles as its kernels see it. */
interface Tiles {
  readonly gpu: Gpu;
  readonly kernels: ReturnType<typeof kernelsOf>;
  readonly job: TileSortJob;
  readonly from: KeyArrays;
  readonly to: KeyArrays;
  /** Their keys: side 1 and side 0. */
  readonly fromKeys: Binding;
  readonly toKeys: Binding;
  readonly tiles: number;
  readonly levels: number;
  /** Where the head ranges of each level begin. */
  readonly offsets: readonly number[];
  readonly ranges: BufferBinding;
  readonly sides: BufferBinding;
  /** The jobs of a level, and the counters of all levels' queues. */
  readonly queue: { readonly jobs: BufferBinding; readonly counters: BufferBinding };
  /** Workgroups that serve a queue. */
  readonly servers: number;
}

async function takeTiles(scratch: Scratch, job: TileSortJob, from: KeyArrays, to: KeyArrays): Promise<Tiles> {
  const { gpu } = scratch;
  const { spec, tuning, count, flags } = job;
  const tile = tileOf(gpu, spec, tuning);
  const tiles = Math.ceil(count / tile);
  const levels = Math.ceil(Math.log2(Math.max(tiles, 1)));
  const offsets = rangeOffsets(tiles, levels);
  const take = async (bytes: number, label: string): Promise<BufferBinding> =>
    bind(await scratch.take(bytes, label), bytes);
  return {
    gpu,
    kernels: kernelsOf(gpu, spec, tuning, { segmented: flags !== null }),
    job,
    from,
    to,
    fromKeys: keysOf(spec, from, count),
    toKeys: keysOf(spec, to, count),
    tiles,
    levels,
    offsets,
    ranges: await take(8 * offsets[levels + 1], 'head ranges'),
    sides: await take(8 * tiles, 'sides of tiles'),
    queue: {
      jobs: await take(32 * tiles, 'merge jobs'),
      counters: await take(4 * QUEUE_WORDS * (levels + 1), 'counters of queues'),
    },
    servers: Math.min(tiles, tuning.servers ?? MOST_SERVERS),
  };
}

function submitBlockSort(sort: Tiles): void {
  const { gpu, kernels, job, from, to, fromKeys, toKeys, tiles, ranges, sides } = sort;
  const { counters } = sort.queue;
  const { count, flags } = job;
  // Without flags, any read-only buffer takes their place.
  const heads = flags ?? fromKeys;
  submitPass(
    gpu,
    'sort',
    'segmented block sort',
    (pass) => {
      for (let first = 0; first < tiles; first += LAUNCH_TILES) {
        kernels.blockSort.dispatch(
          pass,
          { flags: heads, keys: fromKeys, sorted_keys: toKeys, ranges, ...valueBindings(from, to, count) },
          { n: count, tiles, first_tile: first },
          Math.min(LAUNCH_TILES, tiles - first),
        );
      }
    },
    (encoder) => {
      encoder.clearBuffer(counters.buffer, 0, counters.size);
      if (tiles > 0) encoder.clearBuffer(sides.buffer, 0, 4 * tiles);
    },
  );
}

/** Encodes the merges of a level. */
function encodeLevel(sort: Tiles, pass: GPUComputePassEncoder, level: number): void {
  const { kernels, job, from, to, fromKeys, toKeys, tiles, offsets, ranges, sides, queue, servers } = sort;
  const { count } = job;
  const half = (level % 2) * tiles;
  const keys = { keys_0: toKeys, keys_1: fromKeys };
  kernels.planMerges.dispatch(
    pass,
    { ...keys, ranges, sides, ...queue },
    {
      n: count,
      tiles,
      level,
      ranges_from: offsets[level],
      ranges_to: offsets[level + 1],
      sides_from: half,
      sides_to: tiles - half,
    },
    Math.ceil(tiles / MERGE_GROUP),
  );
  kernels.mergeJobs.dispatch(
    pass,
    { ...queue, ...keys, ...valueSideBindings(to, from, count) },
    { level, groups: servers },
    servers,
  );
}

/** Encodes the copies of tiles on side 1 to side 0. */
function encodeCopies(sort: Tiles, pass: GPUComputePassEncoder): void {
  const { kernels, job, from, to, fromKeys, toKeys, tiles, levels, sides, queue, servers } = sort;
  const { count } = job;
  kernels.planCopies.dispatch(
    pass,
    { sides, ...queue },
    { tiles, queue: levels, sides_from: (levels % 2) * tiles },
    Math.ceil(tiles / COPY_GROUP),
  );
  kernels.copyJobs.dispatch(
    pass,
    { ...queue, keys: fromKeys, sorted_keys: toKeys, ...valueBindings(from, to, count) },
    { n: count, queue: levels, groups: servers },
    servers,
  );
}

async function readStatistics(
  gpu: Gpu,
  { buffer, size }: BufferBinding,
  tiles: number,
  levels: number,
): Promise<MergeStatistics> {
  const words = new Uint32Array((await readBack(gpu, buffer, 0, size)).buffer);
  const word = (queue: number, at: number): number => words[queue * QUEUE_WORDS + at];
  return {
    tiles,
    levels: Array.from({ length: levels }, (_, l) => ({
      merged: word(l, WHOLE_WORD),
      inPlace: word(l, JOBS_WORD) - word(l, WHOLE_WORD),
    })),
    copied: word(levels, JOBS_WORD),
  };
}
