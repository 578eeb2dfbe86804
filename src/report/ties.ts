/**
 * Statistics of ties in string sorts by prefixes, as reported by Davidson et al. 2012 (figures 8 and 9): their sums,
 * and sentences for --stats.
 */
import { formatCount } from './units.js';

/** The statistics of one sort, or the sum over several. */
export interface TieStatistics {
  readonly records: number;
  /** Bytes of the prefix that is compared before the text is read. */
  readonly keyBytes: number;
  /** Records that share their prefix with another record and continue after it. */
  readonly tied: number;
  /** Rounds of refinement after the merges; for several sorts, the maximum. */
  readonly rounds: number;
  /**
   * Comparisons that read the text: in the sort of tiles (null: the input was slices), and in each
   * merge pass (figure 8a).
   */
  readonly blockReads: number | null;
  readonly mergeReads: readonly number[];
  /**
   * [k]: the number of runs of 2^k to 2^(k+1) - 1 records with equal prefixes; k = 0: records with a
   * unique prefix (figure 8b).
   */
  readonly runs: readonly number[];
  /** The number of records of the longest run. */
  readonly longestRun: number;
  /**
   * [b]: the number of records that share b bytes with the record before them; the last entry: at least b bytes (figure
   * 9b).
   */
  readonly sharedBytes: readonly number[];
}

/** The sum of two sorts with the same prefix length. */
export function addTies(a: TieStatistics, b: TieStatistics): TieStatistics {
  return {
    records: a.records + b.records,
    keyBytes: a.keyBytes,
    tied: a.tied + b.tied,
    rounds: Math.max(a.rounds, b.rounds),
    blockReads: a.blockReads === null && b.blockReads === null ? null : (a.blockReads ?? 0) + (b.blockReads ?? 0),
    mergeReads: addEach(a.mergeReads, b.mergeReads),
    runs: addEach(a.runs, b.runs),
    longestRun: Math.max(a.longestRun, b.longestRun),
    sharedBytes: addEach(a.sharedBytes, b.sharedBytes),
  };
}

function addEach(a: readonly number[], b: readonly number[]): number[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (a[i] ?? 0) + (b[i] ?? 0));
}

/** Two lines for --stats: the ties and their cost, then runs and shared bytes. */
export function tieSentences(ties: TieStatistics): string[] {
  const { records, keyBytes, tied, rounds, blockReads, mergeReads, runs, longestRun, sharedBytes } = ties;
  const reads = [
    ...(blockReads === null ? [] : [`${formatCount(blockReads)} in block sorts`]),
    ...(mergeReads.length === 0 ? [] : [`${mergeReads.map(formatCount).join(', ')} in merge passes`]),
  ];
  const readsAny = [blockReads ?? 0, ...mergeReads].some((count) => count > 0);
  const runCount = runs.slice(1).reduce((sum, count) => sum + count, 0);
  return [
    `ties: ${formatCount(tied)} of ${formatCount(records)} records beyond a key of ${keyBytes} bytes; ` +
      `${rounds} ${rounds === 1 ? 'round' : 'rounds'} of refinement; ` +
      `comparisons that read text: ${readsAny ? reads.join(', ') : 'none'}`,
    `ties: ${formatCount(runCount)} ${runCount === 1 ? 'run' : 'runs'} of equal keys, ` +
      `the longest of ${formatCount(longestRun)}; ` +
      `a record shares ${medianShared(sharedBytes)} with the one before it (median)`,
  ];
}

function medianShared(sharedBytes: readonly number[]): string {
  const total = sharedBytes.reduce((sum, count) => sum + count, 0);
  let below = 0;
  const median = sharedBytes.findIndex((count) => (below += count) * 2 >= total);
  return median === sharedBytes.length - 1
    ? `${median} bytes or more`
    : `${Math.max(median, 0)} ${median === 1 ? 'byte' : 'bytes'}`;
}
