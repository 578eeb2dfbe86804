/**
 * Locality sort: a merge sort that does little work if keys are near their final places (Baxter: Segmented Sort and
 * Locality Sort, moderngpu 1). It is a segmented sort with one segment and shares kernels/wgsl/keys/segmented-sort/.
 */
import type { MergeStatistics } from '../../../../report/merges.js';
import type { Scratch } from '../../device/pool.js';
import { checkKeyCount, type FixedKeySpec, type KeyArrays, type KeySort } from '../key-sort.js';
import {
  loadTileMerges,
  sortTiles,
  startTiles,
  type TileMergeTuning,
  type TileSort,
} from '../segmented-sort/tile-merges.js';

/** A stable sort of fixed-size keys that is fast if keys are near their final places. */
export interface LocalitySort extends KeySort {
  /**
   * Submits the sort into `spare` only as far as nearly sorted keys need it: tiles, and the first level of merges. If a
   * word of `left` is not zero afterwards, the caller must call `finish`. A caller that reads from the device anyway
   * thus avoids submitting the other levels, which cost the same even if they have nothing to do.
   */
  sortNear(scratch: Scratch, spec: FixedKeySpec, from: KeyArrays, spare: KeyArrays, count: number): Promise<NearSort>;
}

export interface NearSort extends Pick<TileSort, 'left' | 'statistics' | 'end'> {
  readonly result: KeyArrays;
  /** Submits the remaining levels. */
  finish(): void;
}

/**
 * `statistics` receives statistics of the merges of `sort`. If it is given, the promise of `sort` waits for the device,
 * not just for memory.
 */
export function localitySort(
  tuning: TileMergeTuning = {},
  statistics?: (statistics: MergeStatistics) => void,
): LocalitySort {
  return {
    load: (gpu, spec) => loadTileMerges(gpu, spec, tuning, { segmented: false }),
    sort: async (scratch, spec, from, spare, count) => {
      const { gpu } = scratch;
      checkKeyCount(gpu, spec, count);
      await sortTiles(scratch, { spec, tuning, count, flags: null }, from, spare, statistics);
      return spare;
    },
    sortNear: async (scratch, spec, from, spare, count) => {
      const { gpu } = scratch;
      checkKeyCount(gpu, spec, count);
      const { levels, merge, left, statistics, end } = await startTiles(
        scratch,
        { spec, tuning, count, flags: null },
        from,
        spare,
      );
      const first = Math.min(1, levels);
      merge(0, first);
      return {
        result: spare,
        left,
        statistics,
        end,
        finish: () => {
          merge(first, levels);
        },
      };
    },
  };
}
