/**
 * Chooses the splitters between ranges from samples of all runs, as src/runs/partition.ts does for the runs of one
 * machine: by key, then share, then position, so that equal records are divided evenly and keep their order.
 */
import type { Ordering } from '../job.js';
import { compareHeads, compareRecords } from '../keys/compare.js';
import { inParallel } from '../promises.js';
import type { IndexedMark } from './run-index.js';
import type { Splitter, StoredShare } from './stored-share.js';

/** The maximum number of samples held at once. */
const MOST_SAMPLES = 1 << 18;
/** Longer records are not used as splitters if there are others: all tasks read them. */
const LONGEST_SPLITTER = 64 << 10;
/** Runs that are read at once. */
const READS = 16;

interface Weighted extends IndexedMark {
  readonly share: number;
  /** Bytes of the run that it stands for. */
  readonly weight: number;
}

/**
 * At most `ranges - 1` splitters in order, that divide the bytes of the runs evenly. `whole`: equal keys are not
 * separated, so there is at most one splitter of each key.
 */
export async function chooseSplitters(
  shares: readonly StoredShare[],
  ordering: Ordering,
  ranges: number,
  whole: boolean,
): Promise<Splitter[]> {
  const samples = await weightedSamples(shares);
  samples.sort((a, b) => compareHeads(ordering, a.head, b.head) || a.share - b.share || a.at.byte - b.at.byte);
  const bytes = shares.reduce((sum, { header }) => sum + header.bytes, 0);
  const chosen: Weighted[] = [];
  let passed = 0;
  for (const sample of samples) {
    if (chosen.length === ranges - 1) break;
    passed += sample.weight;
    // One sample may stand for more than a range.
    if (passed >= ((chosen.length + 1) * bytes) / ranges) {
      chosen.push(sample);
      while (chosen.length < ranges - 1 && passed >= ((chosen.length + 1) * bytes) / ranges) chosen.push(sample);
    }
  }
  const distinct = chosen.filter((sample, i) => sample !== chosen[i - 1]);
  const splitters: Splitter[] = [];
  const numbered = new Map(shares.map((share) => [share.number, share]));
  await inParallel(distinct, READS, async ({ share, at }, i) => {
    splitters[i] = { share, byte: at.byte, record: await numbered.get(share)!.run.record(at) };
  });
  // Heads only estimate the order.
  splitters.sort((a, b) => compareRecords(ordering, a.record, b.record) || a.share - b.share || a.byte - b.byte);
  return whole
    ? splitters.filter(({ record }, i) => i === 0 || compareRecords(ordering, splitters[i - 1].record, record) !== 0)
    : splitters;
}

/** Samples of all runs. A sample stands for the bytes from the middle before it to the middle after it. */
async function weightedSamples(shares: readonly StoredShare[]): Promise<Weighted[]> {
  const all: Weighted[][] = [];
  const each = Math.max(1, Math.floor(MOST_SAMPLES / Math.max(1, shares.length)));
  await inParallel(shares, READS, async (share, i) => {
    const { marks, step, bytes } = share.header;
    const samples = marks === 0 ? [] : await share.choice(Math.max(1, Math.ceil(marks / step / each)));
    all[i] = samples.map((sample) => ({ ...sample, share: share.number, weight: bytes / samples.length }));
  });
  const samples = all.flat();
  const short = samples.filter(({ bytes }) => bytes <= LONGEST_SPLITTER);
  return short.length > 0 ? short : samples;
}
