/** How ties went in string sorts by prefixes, as Davidson et al. 2012 report them (figures 8 and 9): added up, and told in sentences. */

/** Of one sort, or of several added up. */
export interface TieStatistics {
  readonly records: number;
  /** Bytes of a prefix that entries are compared by before the text is. */
  readonly keyBytes: number;
  /** Records whose prefix another has, too, and whose text goes on behind it. */
  readonly tied: number;
  /** Rounds of refinement behind the merges; of several sorts, the most. */
  readonly rounds: number;
  /** Comparisons that read the text: in the sort of tiles (null: what was sorted was in slices), and in each pass of merges (figure 8a). */
  readonly blockReads: number | null;
  readonly mergeReads: readonly number[];
  /** [k]: how many runs of 2^k to 2^(k+1) - 1 records with equal prefixes there were; k = 0: the records that were alone (figure 8b). */
  readonly runs: readonly number[];
  /** Records of the longest run. */
  readonly longestRun: number;
  /** [b]: how many records share b bytes with the one before them; the last one: so many or more (figure 9b). */
  readonly sharedBytes: readonly number[];
}

/** Two sorts by prefixes of the same length together. */
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

/** Two lines for --stats: what was tied and what that cost, then runs and shared bytes. */
export function tieSentences(ties: TieStatistics): string[] {
  const { records, keyBytes, tied, rounds, blockReads, mergeReads, runs, longestRun, sharedBytes } = ties;
  const reads = [
    ...(blockReads === null ? [] : [`${formatCount(blockReads)} in block sorts`]),
    ...(mergeReads.length === 0 ? [] : [`${mergeReads.map(formatCount).join(', ')} in merge passes`]),
  ];
  const readsAny = [blockReads ?? 0, ...mergeReads].some((count) => count > 0);
  const runCount = runs.slice(1).reduce((sum, count) => sum + count, 0);
  return [
    `ties: ${formatCount(tied)} of ${formatCount(records)} records beyond a key of ${keyBytes} bytes; ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of refinement;`
      + ` comparisons that read text: ${readsAny ? reads.join(', ') : 'none'}`,
    `ties: ${formatCount(runCount)} ${runCount === 1 ? 'run' : 'runs'} of equal keys, the longest of ${formatCount(longestRun)}; a record shares ${medianShared(sharedBytes)} with the one before it (median)`,
  ];
}

function medianShared(sharedBytes: readonly number[]): string {
  const total = sharedBytes.reduce((sum, count) => sum + count, 0);
  let below = 0;
  const median = sharedBytes.findIndex((count) => (below += count) * 2 >= total);
  return median === sharedBytes.length - 1 ? `${median} bytes or more` : `${Math.max(median, 0)} ${median === 1 ? 'byte' : 'bytes'}`;
}

/** `950`, `12.3 k`, `4.00 M`. */
function formatCount(count: number): string {
  if (count < 1000) return String(count);
  const [value, letter] = count < 999_500 ? [count / 1e3, 'k'] : count < 999.5e6 ? [count / 1e6, 'M'] : [count / 1e9, 'G'];
  return `${value.toPrecision(3)} ${letter}`;
}
