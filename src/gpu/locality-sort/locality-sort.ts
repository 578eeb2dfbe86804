/**
 * Locality sort: a merge sort that does only what keys near their places need (Baxter: Segmented Sort and Locality Sort, moderngpu 1).
 * It is a segmented sort of one segment that never looks for another, and shares its kernels: kernels/segmented-sort/.
 */
import type { Gpu } from '../device.js';
import type { KeyArrays, KeySort, KeySpec } from '../keys.js';
import type { Scratch } from '../pool.js';
import { loadTileMerges, sortTiles, type MergeStatistics, type TileMergeTuning } from '../segmented-sort/tile-merges.js';

/** A stable sort of fixed keys, fast where they are near their places, that can tell what it had to do. */
export interface LocalitySort extends KeySort {
  /** As KeySort has it. `statistics` is told what the merges did; with it the promise waits for the device, without it only for memory. */
  sort(gpu: Gpu, scratch: Scratch, spec: KeySpec, from: KeyArrays, spare: KeyArrays, count: number,
    statistics?: (statistics: MergeStatistics) => void): Promise<KeyArrays>;
}

export function localitySort(tuning: TileMergeTuning = {}): LocalitySort {
  return {
    load: (gpu, spec) => loadTileMerges(gpu, spec, tuning, false),
    sort: async (gpu, scratch, spec, from, spare, count, statistics) => {
      await sortTiles(gpu, scratch, spec, tuning, from, spare, count, null, statistics);
      return spare;
    },
  };
}
