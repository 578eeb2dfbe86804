/**
 * Chooses splitters among samples, each of which represents a number of bytes. Used by partition.ts for the runs of one
 * machine, and by src/cluster/splitters.ts for shares and inputs of -m; only these know where samples come from. A
 * splitter cuts by (ordered bytes, run, position). So equal records are divided evenly and keep the order of the input.
 * (The splitters of src/keys/splitters.ts are keys, not records: all records with one key go to one bucket.)
 */
import type { Bounds, Position, Run, SampledRecord } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { commonPrefixLength, compareHeads, compareRecords } from '../keys/compare.js';
import { allOver, inParallel } from '../system/promises.js';
import { sampleBytes, sampleHead } from './run-index.js';

/** Samples per range, of all runs together. */
export const SAMPLES_PER_RANGE = 24;
/** Maximum total bytes of the records of splitters, which are held at once. */
const SPLITTER_BYTES = 64 << 20;
/** If samples with equal heads stand for more than this fraction of a range, SAMPLES_PER_RANGE of them are read. */
const MOST_ALIKE = 0.25;
/** Bytes of each record that are then compared. */
const LONG_HEAD = 4096;
/** Records that are read at once for their long heads. */
const READS = 16;
/** Bytes of a head that are compared as one number, which holds 53 bits. */
const RANK_BYTES = 6;
/** The golden ratio, without its whole part. */
const GOLDEN = 0.618;

/** A record that begins a range: the one at `at` in a run. Runs are numbered in the order of the input. */
export interface Splitter {
  readonly runNumber: number;
  readonly at: Position;
  /** In the form in which runs hold it, without its delimiter. */
  readonly record: Uint8Array;
}

/** A place of a run. */
type Placed = Omit<Splitter, 'record'>;

/** A sample of a run, which represents `weight` bytes of it. */
export interface WeightedSample extends SampledRecord {
  readonly runNumber: number;
  readonly weight: number;
}

/** Which splitters are chosen. */
interface SplitterChoice {
  /** The bytes that are divided. */
  readonly bytes: number;
  /** The maximum number of ranges. Infinity: each sample becomes a splitter. */
  readonly ranges: number;
  /** The intended size of the first range. Absent: the same as of the others. */
  readonly firstBytes?: number;
  /** This many splitters are held even if their records exceed SPLITTER_BYTES. */
  readonly least: 1 | 2;
  /** Equal keys are not separated, so there is at most one splitter of each key. */
  readonly keepsKeysWhole?: boolean;
  /**
   * Whether many samples with equal heads are replaced by a few with longer heads, which are read from the runs: paths
   * and URLs often begin alike. Unnecessary if ranges that are too large are cut again.
   */
  readonly readsLongHeads?: boolean;
}

/** Samples of a run, each of which represents an equal part of `bytes` bytes. */
export function weighted(samples: readonly SampledRecord[], runNumber: number, bytes: number): WeightedSample[] {
  const weight = bytes / samples.length;
  return samples.map(({ at, head, bytes: length }) => ({ runNumber, at, head, bytes: length, weight }));
}

/** The phase of the i-th of several runs (see `sample` of a run). Phases are spread evenly, however many there are. */
export const phaseOf = (i: number): number => (i * GOLDEN) % 1;

/** The splitters, in order. `runs`: the runs, in the numbering that the samples use. */
export async function chooseAmong(
  samples: readonly WeightedSample[],
  runs: readonly Pick<Run, 'record'>[],
  ordering: Ordering,
  choice: SplitterChoice,
): Promise<Splitter[]> {
  const { least, keepsKeysWhole = false, readsLongHeads = false } = choice;
  const sorted = inOrder(samples, ordering);
  const candidates = readsLongHeads
    ? await withLongHeads(sorted, runs, ordering, choice.bytes / choice.ranges)
    : sorted;
  const splitters = await allOver(
    fewBytes(chooseEvenly(candidates, choice), least).map(async ({ runNumber, at }) => ({
      runNumber,
      at,
      record: await runs[runNumber].record(at),
    })),
  );
  // Heads only estimate the order.
  splitters.sort((a, b) => compareRecords(ordering, a.record, b.record) || byPlace(a, b));
  return keepsKeysWhole
    ? splitters.filter(({ record }, i) => i === 0 || compareRecords(ordering, splitters[i - 1].record, record) !== 0)
    : splitters;
}

/**
 * Where a splitter cuts a run, if equal records may be separated. `bounds`: those of the splitter's equals in this run.
 */
export function cutPlace(splitter: Placed, runNumber: number, { lower, upper }: Bounds): Position {
  if (runNumber === splitter.runNumber) return splitter.at;
  return runNumber < splitter.runNumber ? upper : lower;
}

const byPlace = (a: Placed, b: Placed): number => a.runNumber - b.runNumber || a.at.byte - b.at.byte;

/** The samples in the order of their heads. Usually two numbers are compared: that takes a third of the time. */
function inOrder(samples: readonly WeightedSample[], ordering: Ordering): WeightedSample[] {
  const ranks = ranksOf(samples, ordering);
  const order = [...samples.keys()];
  order.sort(
    (i, j) =>
      ranks[i] - ranks[j] ||
      compareHeads(ordering, samples[i].head, samples[j].head) ||
      byPlace(samples[i], samples[j]),
  );
  return order.map((i) => samples[i]);
}

/**
 * A number for each sample, in the order of their heads as far as RANK_BYTES bytes decide it: the first ones that not
 * all heads share. For collations, all numbers are equal.
 */
function ranksOf(samples: readonly WeightedSample[], ordering: Ordering): Float64Array {
  const ranks = new Float64Array(samples.length);
  if (isCollated(ordering)) return ranks;
  const shared = samples.reduce((length, { head }) => commonPrefixLength(samples[0].head, head, length), Infinity);
  for (const [i, { head }] of samples.entries()) {
    let rank = 0;
    for (let at = shared; at < shared + RANK_BYTES; at++) rank = rank * 256 + (at < head.length ? head[at] : 0);
    ranks[i] = ordering.reverse ? -rank : rank;
  }
  return ranks;
}

/** The first of the samples, which are in order, at or after the intended end of each range but the last. */
function chooseEvenly(
  samples: readonly WeightedSample[],
  { bytes, ranges, firstBytes = bytes / ranges }: SplitterChoice,
): readonly WeightedSample[] {
  if (ranges === Infinity) return samples;
  const count = ranges - 1;
  const endOf = (number: number): number => firstBytes + (number * (bytes - firstBytes)) / count;
  const chosen: WeightedSample[] = [];
  let [passed, number] = [0, 0];
  for (const sample of samples) {
    passed += sample.weight;
    if (number === count || passed < endOf(number)) continue;
    chosen.push(sample);
    // One sample may stand for more than a range.
    while (number < count && passed >= endOf(number)) number++;
  }
  return chosen;
}

/**
 * All samples, or every second, fourth, ... of them to keep their records below SPLITTER_BYTES; but at least `least`,
 * if there are that many. Fewer splitters make larger ranges.
 */
function fewBytes(samples: readonly WeightedSample[], least: 1 | 2): readonly WeightedSample[] {
  const bytes = samples.reduce((sum, sample) => sum + sample.bytes, 0);
  if (bytes <= SPLITTER_BYTES || samples.length <= least) return samples;
  return fewBytes(
    samples.filter((_, i) => (i + least) % 2 === 0),
    least,
  );
}

/** The samples, in order, with many equal heads replaced by a few longer ones. */
async function withLongHeads(
  samples: readonly WeightedSample[],
  runs: readonly Pick<Run, 'record'>[],
  ordering: Ordering,
  rangeBytes: number,
): Promise<WeightedSample[]> {
  const all: WeightedSample[][] = [];
  for (let from = 0; from < samples.length; ) {
    const { head } = samples[from];
    let to = from + 1;
    while (to < samples.length && compareHeads(ordering, head, samples[to].head) === 0) to++;
    const alike = samples.slice(from, to);
    const weight = alike.reduce((sum, sample) => sum + sample.weight, 0);
    const isEnough = head.length < sampleBytes(ordering) || weight < MOST_ALIKE * rangeBytes;
    const wanted = Math.min(alike.length, Math.ceil((SAMPLES_PER_RANGE * weight) / rangeBytes));
    all.push(isEnough ? alike : await longHeads(alike, runs, ordering, { wanted, weight: weight / wanted }));
    from = to;
  }
  return all.flat();
}

/** `wanted` of the samples, each with a new weight, in the order of their long heads. */
async function longHeads(
  alike: readonly WeightedSample[],
  runs: readonly Pick<Run, 'record'>[],
  ordering: Ordering,
  { wanted, weight }: { readonly wanted: number; readonly weight: number },
): Promise<WeightedSample[]> {
  // Not at equal distances: all runs would be sampled at the same quantiles.
  const taken = Array.from({ length: wanted }, (_, i) => alike[Math.floor(((i + phaseOf(i)) * alike.length) / wanted)]);
  const read: WeightedSample[] = [];
  await inParallel(taken, READS, async (sample, i) => {
    const record = await runs[sample.runNumber].record(sample.at);
    read[i] = { ...sample, head: new Uint8Array(sampleHead(ordering, record, LONG_HEAD)), weight };
  });
  return inOrder(read, ordering);
}
