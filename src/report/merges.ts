/**
 * Statistics of the merges in sorts by tiles (segmented sort and locality sort), as in the tables of Baxter, Segmented
 * Sort and Locality Sort: their sums, and a sentence for --stats.
 */
import { formatCount } from './units.js';

/** The work of one level. All other tiles stayed untouched. */
interface LevelStatistics {
  /** Tiles rewritten in the other buffer (merge tiles in the paper's tables). */
  readonly merged: number;
  /**
   * Borders settled in place: windows of at most a tile. Level 0 settles borders of later levels along with its own.
   */
  readonly inPlace: number;
}

/** The statistics of one sort, or the sum over several. */
export interface MergeStatistics {
  readonly tiles: number;
  /** One entry per level: it merges lists of one tile, of two, of four ... */
  readonly levels: readonly LevelStatistics[];
  /** Tiles copied to the result after all levels (copy tiles; in the paper some are copied at each level). */
  readonly copied: number;
}

export function addMerges(a: MergeStatistics, b: MergeStatistics): MergeStatistics {
  const level = (of: MergeStatistics, i: number): LevelStatistics => of.levels[i] ?? { merged: 0, inPlace: 0 };
  return {
    tiles: a.tiles + b.tiles,
    levels: Array.from({ length: Math.max(a.levels.length, b.levels.length) }, (_, i) => ({
      merged: level(a, i).merged + level(b, i).merged,
      inPlace: level(a, i).inPlace + level(b, i).inPlace,
    })),
    copied: a.copied + b.copied,
  };
}

/** `tiles: 39.1 k sorted; by merge level 12, 6 merged, 950, 0 borders settled in place; 8 copied`. */
export function mergeSentence({ tiles, levels, copied }: MergeStatistics): string {
  const list = (counts: readonly number[]): string => counts.map(formatCount).join(', ');
  const merges =
    levels.length === 0
      ? ''
      : `by merge level ${list(levels.map(({ merged }) => merged))} merged, ` +
        `${list(levels.map(({ inPlace }) => inPlace))} borders settled in place; `;
  return `tiles: ${formatCount(tiles)} sorted; ${merges}${formatCount(copied)} copied`;
}
