/**
 * The common part of segmented sort and locality sort (Baxter: Segmented Sort and Locality Sort, moderngpu 1). Tiles
 * are sorted, then lists of tiles are merged level by level, only where they are out of order. The device queues its
 * own work, so the host submits everything at once. Block sort writes all tiles into `to` (side 0). A window of at most
 * a tile is merged in place; a tile of a larger merge changes sides. After the last level tiles on side 1 are copied to
 * side 0. So nearly sorted input costs little more than one pass over memory, and no tile is copied more than once.
 */

import type { MergeStatistics } from '../../../../report/merges.js';
import type { Gpu } from '../../device/device.js';
import { type BufferBinding, bind, Kernel, loadKernels, readBack, submitPass } from '../../device/dispatch.js';
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
} from '../key-sort.js';

/** Tuning parameters; the defaults are for large GPUs. */
export interface TileMergeTuning {
  /** Keys per tile: a power of two from 64 to 2,048. Default: as many as fit in workgroup memory. */
  readonly tile?: number;
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
 * little. An indirect dispatch would start as many as there are jobs, but recording it takes 75 us instead of 4, in
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

function kernelsOf(gpu: Gpu, spec: FixedKeySpec, tile: number, segmented: boolean) {
  const consts = { TILE: tile };
  const keys = keyConstants(spec, consts);
  // For kernels that need to know where segments end.
  const inSegments = keyConstants(spec, consts, { SEGMENTED: segmented ? 1 : 0 });
  return {
    blockSort: new Kernel(gpu, 'keys/segmented-sort/block-sort', inSegments),
    planMerges: new Kernel(gpu, 'keys/segmented-sort/plan-merges', inSegments),
    mergeJobs: new Kernel(gpu, 'keys/segmented-sort/merge-jobs', keys),
    planCopies: new Kernel(gpu, 'keys/segmented-sort/plan-copies'),
    // It does not compare keys, so all types of a width share it.
    copyJobs: new Kernel(gpu, 'keys/segmented-sort/copy-jobs', { consts: keys.consts! }),
  };
}

/** Compiles what `sortTiles` needs. */
export function loadTileMerges(
  gpu: Gpu,
  spec: FixedKeySpec,
  tuning: TileMergeTuning,
  segmented: boolean,
): Promise<unknown> {
  return loadKernels(kernelsOf(gpu, spec, tileOf(gpu, spec, tuning), segmented));
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

/**
 * Like startTiles, with all levels. `statistics` receives what the merges did; only then the promise awaits the device.
 */
export async function sortTiles(
  gpu: Gpu,
  scratch: Scratch,
  spec: FixedKeySpec,
  tuning: TileMergeTuning,
  from: KeyArrays,
  to: KeyArrays,
  count: number,
  flags: GPUBuffer | null,
  statistics?: (statistics: MergeStatistics) => void,
): Promise<void> {
  const sort = await startTiles(gpu, scratch, spec, tuning, from, to, count, flags);
  sort.merge(0, sort.levels);
  if (statistics !== undefined) statistics(await sort.statistics());
  sort.end();
}

/**
 * Submits the sort of the tiles of the first `count` keys of `from`, to be merged into `to`. With head `flags` it sorts
 * inside segments. The contents of `from` are lost.
 */
export async function startTiles(
  gpu: Gpu,
  scratch: Scratch,
  spec: FixedKeySpec,
  tuning: TileMergeTuning,
  from: KeyArrays,
  to: KeyArrays,
  count: number,
  flags: GPUBuffer | null,
): Promise<TileSort> {
  const tile = tileOf(gpu, spec, tuning);
  const kernels = kernelsOf(gpu, spec, tile, flags !== null);
  const tiles = Math.ceil(count / tile);
  const levels = Math.ceil(Math.log2(Math.max(tiles, 1)));
  const offsets = rangeOffsets(tiles, levels);
  const take = async (bytes: number, label: string): Promise<BufferBinding> =>
    bind(await scratch.take(bytes, label), bytes);
  const ranges = await take(8 * offsets[levels + 1], 'head ranges');
  const sides = await take(8 * tiles, 'sides of tiles');
  const jobs = await take(32 * tiles, 'merge jobs');
  const counters = await take(4 * QUEUE_WORDS * (levels + 1), 'counters of queues');
  const servers = Math.min(tiles, MOST_SERVERS);
  const [side0, side1] = [keysOf(spec, to, count), keysOf(spec, from, count)];

  submitPass(
    gpu,
    'sort',
    'segmented block sort',
    (pass) => {
      // Without flags, any read-only buffer takes their place.
      const heads = flags === null ? side1 : bind(flags, Math.ceil(count / 32) * 4);
      for (let first = 0; first < tiles; first += LAUNCH_TILES) {
        kernels.blockSort.dispatch(
          pass,
          { flags: heads, keys: side1, sorted_keys: side0, ranges, ...valueBindings(from, to, count) },
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

  const mergeLevel = (pass: GPUComputePassEncoder, level: number): void => {
    const half = (level % 2) * tiles;
    kernels.planMerges.dispatch(
      pass,
      { keys_0: side0, keys_1: side1, ranges, sides, jobs, counters },
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
      { jobs, counters, keys_0: side0, keys_1: side1, ...valueSideBindings(to, from, count) },
      { level, groups: servers },
      servers,
    );
  };
  const copyTiles = (pass: GPUComputePassEncoder): void => {
    kernels.planCopies.dispatch(
      pass,
      { sides, jobs, counters },
      { tiles, queue: levels, sides_from: (levels % 2) * tiles },
      Math.ceil(tiles / COPY_GROUP),
    );
    kernels.copyJobs.dispatch(
      pass,
      { jobs, counters, keys: side1, sorted_keys: side0, ...valueBindings(from, to, count) },
      { n: count, queue: levels, groups: servers },
      servers,
    );
  };
  const together = Math.max(1, Math.floor(SUBMIT_KEYS / Math.max(count, 1)));
  return {
    levels,
    merge: (first, last) => {
      for (let level = first; level < last; level += together) {
        submitPass(gpu, 'sort', 'merge levels', (pass) => {
          for (let l = level; l < Math.min(level + together, last); l++) mergeLevel(pass, l);
          if (Math.min(level + together, last) === levels) copyTiles(pass);
        });
      }
    },
    left: [
      { buffer: counters.buffer, at: WHOLE_WORD },
      { buffer: counters.buffer, at: WHOLE_WORD + 1 },
    ],
    statistics: () => readStatistics(gpu, counters, tiles, levels),
    end: () => {
      for (const { buffer } of [ranges, sides, jobs, counters]) scratch.drop(buffer);
    },
  };
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
