/**
 * Chooses the splitters between ranges from samples of all runs, as src/runs/partition.ts does for the runs of one
 * machine: by key, then share, then position. So equal records are divided evenly and keep their order.
 */
import type { Position, SampledRecord } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareHeads, compareRecords } from '../keys/compare.js';
import type { Digest } from '../report/digest.js';
import { sampleBytes, sampleHead } from '../runs/run-index.js';
import { chooseEvenly, fewBytes, SAMPLES_PER_RANGE } from '../runs/splitters.js';
import { inParallel } from '../system/promises.js';

/** The maximum number of samples held at once. */
const MOST_SAMPLES = 1 << 17;
/** Longer records are not used as splitters if there are others: all tasks read them. */
const LONGEST_SPLITTER = 4 << 10;
/** Runs that are read at once. */
const READS = 16;
/** If samples with equal heads stand for more than this fraction of a range, SAMPLES_PER_RANGE of them are read. */
const MOST_ALIKE = 0.25;
/** Bytes of each record that are then compared. */
const LONG_HEAD = 4096;
/** A fraction whose multiples are spread evenly. */
const SPREAD = 0.618;

interface Weighted extends SampledRecord {
  readonly share: number;
  /** Bytes of the run that the sample represents. */
  readonly weight: number;
}

/**
 * At most `ranges - 1` splitters in order, that divide the bytes of the runs evenly. `whole`: equal keys are not
 * separated, so there is at most one splitter of each key.
 */
export async function chooseSplitters(
  shares: readonly Cuttable[],
  ordering: Ordering,
  ranges: number,
  whole: boolean,
): Promise<Splitter[]> {
  const bytes = shares.reduce((sum, { end }) => sum + end.byte, 0);
  const samples = await withLongHeads(
    await weightedSamples(shares, bytes / ranges, ordering),
    shares,
    ordering,
    bytes / ranges,
  );
  const chosen = chooseEvenly(samples, ranges - 1, (number) => ((number + 1) * bytes) / ranges);
  const splitters: Splitter[] = [];
  await inParallel(fewBytes(chosen, 1), READS, async ({ share, at }, i) => {
    splitters[i] = { share, byte: at.byte, record: await shares[share].record(at) };
  });
  // Heads give only an estimate of the order.
  splitters.sort((a, b) => compareRecords(ordering, a.record, b.record) || a.share - b.share || a.byte - b.byte);
  return whole
    ? splitters.filter(({ record }, i) => i === 0 || compareRecords(ordering, splitters[i - 1].record, record) !== 0)
    : splitters;
}

const bySample =
  (ordering: Ordering) =>
  (a: Weighted, b: Weighted): number =>
    compareHeads(ordering, a.head, b.head) || a.share - b.share || a.at.byte - b.at.byte;

/**
 * The samples, in order, where many with equal heads are replaced by few with longer heads, which are read: paths and
 * URLs often begin alike.
 */
async function withLongHeads(
  samples: readonly Weighted[],
  shares: readonly Cuttable[],
  ordering: Ordering,
  rangeBytes: number,
): Promise<Weighted[]> {
  const all: Weighted[] = [];
  for (let from = 0; from < samples.length; ) {
    const { head } = samples[from];
    let to = from + 1;
    while (to < samples.length && compareHeads(ordering, head, samples[to].head) === 0) to++;
    const alike = samples.slice(from, to);
    const weight = alike.reduce((sum, sample) => sum + sample.weight, 0);
    const isEnough = head.length < sampleBytes(ordering) || weight < MOST_ALIKE * rangeBytes;
    all.push(...(isEnough ? alike : await longHeads(alike, shares, ordering, weight, rangeBytes)));
    from = to;
  }
  return all;
}

async function longHeads(
  alike: readonly Weighted[],
  shares: readonly Cuttable[],
  ordering: Ordering,
  weight: number,
  rangeBytes: number,
): Promise<Weighted[]> {
  const wanted = Math.min(alike.length, Math.ceil((SAMPLES_PER_RANGE * weight) / rangeBytes));
  // Not at equal distances: all shares would be sampled at the same quantiles.
  const taken = Array.from(
    { length: wanted },
    (_, i) => alike[Math.floor(((i + ((i * SPREAD) % 1)) * alike.length) / wanted)],
  );
  const read: Weighted[] = [];
  await inParallel(taken, READS, async (sample, i) => {
    const record = await shares[sample.share].record(sample.at);
    const head = new Uint8Array(sampleHead(ordering, record, LONG_HEAD));
    read[i] = { ...sample, head, weight: weight / wanted };
  });
  return read.sort(bySample(ordering));
}

/** Samples of all runs, in order. Each represents an equal part of its run's bytes. */
async function weightedSamples(
  shares: readonly Cuttable[],
  rangeBytes: number,
  ordering: Ordering,
): Promise<Weighted[]> {
  const all: Weighted[][] = [];
  const each = Math.max(1, Math.floor(MOST_SAMPLES / Math.max(1, shares.length)));
  await inParallel(shares, READS, async (share, i) => {
    const samples = await share.samples(each, rangeBytes);
    const weight = share.end.byte / samples.length;
    all[i] = samples.map((sample) => ({ ...sample, share: share.number, weight }));
  });
  const samples = all.flat();
  const short = samples.filter(({ bytes }) => bytes <= LONGEST_SPLITTER);
  return (short.length > 0 ? short : samples).sort(bySample(ordering));
}

/** A record that begins a range: record `byte` of share, or input, `share`. */
export interface Splitter {
  readonly share: number;
  readonly byte: number;
  /** As runs hold it, without delimiter. */
  readonly record: Uint8Array;
}

/**
 * A place between two records, and the digest of the records before it. For inputs of -m, only the bytes before it are
 * known.
 */
export interface Cut {
  readonly byte: number;
  readonly before: Digest;
}

export interface Cuttable {
  /** Of the share or the input. */
  readonly number: number;
  readonly begin: Cut;
  readonly end: Cut;
  /** At most about `most` of its records, evenly spread. `rangeBytes`: the intended size of ranges. */
  samples(most: number, rangeBytes: number): Promise<SampledRecord[]>;
  /** The whole record at a position, as runs hold it. */
  record(at: Position): Promise<Uint8Array>;
  /**
   * Where it is cut by a splitter. `whole`: equal keys are not separated. Otherwise equal records are separated by
   * their place in the input, as in src/runs/partition.ts.
   */
  cut(splitter: Splitter, whole: boolean): Promise<Cut>;
  /** Frees memory that only cuts need. */
  endCuts(): void;
}
