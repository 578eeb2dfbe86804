/**
 * Locality sort: a merge sort that does only what keys near their places need (Baxter: Segmented Sort and Locality Sort, moderngpu 1).
 * It is a segmented sort of one segment that never looks for another, and shares its kernels: kernels/segmented-sort/.
 */
import type { Gpu } from '../device/device.js';
import { checkKeyCount, type KeyArrays, type KeySort, type KeySpec } from '../keys.js';
import type { Scratch } from '../device/pool.js';
import { loadTileMerges, sortTiles, startTiles, type MergeStatistics, type TileMergeTuning, type TileSort } from '../segmented-sort/tile-merges.js';

/** A stable sort of fixed keys, fast where they are near their places, that can tell what it had to do. */
export interface LocalitySort extends KeySort {
  /** As KeySort has it. `statistics` is told what the merges did; with it the promise waits for the device, without it only for memory. */
  sort(gpu: Gpu, scratch: Scratch, spec: KeySpec, from: KeyArrays, spare: KeyArrays, count: number,
    statistics?: (statistics: MergeStatistics) => void): Promise<KeyArrays>;
  /**
   * Submits the sort into `spare` as far as it takes keys near their places: tiles, and the first level of merges. Where `left` is not zero once that is
   * done, `finish` has to be called. So who has something to ask the device anyway need not submit the other levels, which cost as
   * much where there is nothing for them to do.
   */
  sortNear(gpu: Gpu, scratch: Scratch, spec: KeySpec, from: KeyArrays, spare: KeyArrays, count: number): Promise<NearSort>;
}

export interface NearSort extends Pick<TileSort, 'left' | 'end'> {
  readonly result: KeyArrays;
  /** Submits what is left. */
  finish(): void;
}

export function localitySort(tuning: TileMergeTuning = {}): LocalitySort {
  return {
    load: (gpu, spec) => loadTileMerges(gpu, spec, tuning, false),
    sort: async (gpu, scratch, spec, from, spare, count, statistics) => {
      checkKeyCount(gpu, spec, count);
      await sortTiles(gpu, scratch, spec, tuning, from, spare, count, null, statistics);
      return spare;
    },
    sortNear: async (gpu, scratch, spec, from, spare, count) => {
      checkKeyCount(gpu, spec, count);
      const { levels, merge, left, end } = await startTiles(gpu, scratch, spec, tuning, from, spare, count, null);
      const first = Math.min(1, levels);
      merge(0, first);
      return { result: spare, left, end, finish: () => { merge(first, levels); } };
    },
  };
}
