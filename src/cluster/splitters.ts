/**
 * Samples all shares, or all inputs of -m, and chooses the splitters between ranges among the samples, as one machine
 * does for its runs. Shares and inputs are runs whose cuts have digests: a task knows where it will write, and the
 * digest of its result, before it reads its range.
 */
import type { Bounds, Position, Run, SampledRecord } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import type { Digest } from '../report/digest.js';
import { chooseAmong, cutPlace, type Splitter, type WeightedSample, weighted } from '../runs/splitters.js';
import { inParallel } from '../system/promises.js';

/** The maximum number of samples held at once. */
const MOST_SAMPLES = 1 << 17;
/** Longer records are not used as splitters if there are others: all tasks read them. */
const LONGEST_SPLITTER = 4 << 10;
/** Runs that are read at once. */
const READS = 16;

/**
 * A place between two records, and the digest of the records before it. For inputs of -m, only the bytes before it are
 * known.
 */
export interface Cut extends Position {
  readonly before: Digest;
}

/**
 * A share or an input of -m: a run from which each range takes a part. Unlike other runs, it is cut at one splitter at
 * a time, because each task cuts all runs at two splitters; and its cuts have digests. All samples of a share are in
 * its index; those of an input must be read. Samples begin at a different place in each run, because the quantiles of
 * random shares agree.
 */
export interface Cuttable extends Pick<Run, 'record'> {
  /** The number of the share or of the input. */
  readonly number: number;
  readonly begin: Cut;
  readonly end: Cut;
  /** About `most` of its records at most, evenly spread. `rangeBytes`: the intended size of ranges. */
  samples(most: number, rangeBytes: number): Promise<SampledRecord[]>;
  /** The bounds of the equals of a record in the whole run, as `cut` of a Run returns them. */
  boundsOf(record: Uint8Array): Promise<Bounds>;
  /**
   * The cut that a splitter makes. `whole`: equal keys are not separated. Otherwise equal records are separated by
   * their place in the input, as in src/runs/partition.ts.
   */
  cut(splitter: Splitter, whole: boolean): Promise<Cut>;
  /** Frees memory that only cuts need. */
  endCuts(): void;
}

/**
 * At most `ranges - 1` splitters in order, that divide the bytes of the runs evenly. `whole`: equal keys are not
 * separated, so there is at most one splitter of each key.
 */
export async function chooseSplitters(
  shares: readonly Cuttable[],
  ordering: Ordering,
  ranges: number,
  { whole }: { readonly whole: boolean },
): Promise<Splitter[]> {
  const bytes = shares.reduce((sum, { end }) => sum + end.byte, 0);
  return chooseAmong(await weightedSamples(shares, bytes / ranges), shares, ordering, {
    bytes,
    ranges,
    least: 1,
    keepsKeysWhole: whole,
    readsLongHeads: true,
  });
}

/** Samples of all runs. Each represents an equal part of its run's bytes. */
async function weightedSamples(shares: readonly Cuttable[], rangeBytes: number): Promise<WeightedSample[]> {
  const all: WeightedSample[][] = [];
  const each = Math.max(1, Math.floor(MOST_SAMPLES / Math.max(1, shares.length)));
  await inParallel(shares, READS, async (share, i) => {
    all[i] = weighted(await share.samples(each, rangeBytes), i, share.end.byte);
  });
  const samples = all.flat();
  const short = samples.filter(({ bytes }) => bytes <= LONGEST_SPLITTER);
  return short.length > 0 ? short : samples;
}

/** The place where a splitter cuts a share or an input. A run that holds the splitter itself is not searched. */
export async function placeIn(
  share: Pick<Cuttable, 'number' | 'boundsOf'>,
  splitter: Splitter,
  { whole }: { readonly whole: boolean },
): Promise<Position> {
  if (whole) return (await share.boundsOf(splitter.record)).lower;
  if (splitter.runNumber === share.number) return splitter.at;
  return cutPlace(splitter, share.number, await share.boundsOf(splitter.record));
}
