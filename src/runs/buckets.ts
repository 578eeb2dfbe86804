/**
 * Runs of distributed text (engine.ts): their buckets as ranges, and sorted runs of them where something has to be found in them.
 */
import type { Engine, Position, Run, Slice, Sorted } from '../engine.js';
import { wholeRun, type Range } from './partition.js';

const at = (byte: number): Position => ({ index: byte, byte });

/** Bucket number `bucket` of a run. */
function bucketOf(run: Run, bucket: number): Slice {
  return { run, from: at(bucket === 0 ? 0 : run.buckets![bucket - 1]!), to: at(run.buckets![bucket]!) };
}

const bytesOf = (slices: readonly Slice[]): number => slices.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0);

/** Yields the buckets of all runs that are distributed, each as a range; others have to be made sorted before (`sortBuckets`). */
export function* bucketRanges(slices: readonly Slice[]): Generator<Range> {
  const buckets = slices[0]!.run.buckets!.length;
  for (let bucket = 0; bucket < buckets; bucket++) {
    const range = slices.map(({ run }) => bucketOf(run, bucket)).filter((slice) => slice.to.byte > slice.from.byte);
    if (range.length > 0) yield { slices: range, commonPrefix: 0 };
  }
}

/** Whether there is anything that is distributed. */
export function isDistributed(slices: readonly Slice[]): boolean {
  return slices.some(({ run }) => run.buckets !== undefined);
}

/** Whether each bucket can be sorted at once: all runs have it, and none is too large. */
export function bucketsFit(slices: readonly Slice[], most: number): boolean {
  return slices.every(({ run }) => run.buckets !== undefined) && [...bucketRanges(slices)].every((range) => bytesOf(range.slices) <= most);
}

/** Sorted runs, one after another in the order of the input, of what was distributed among `slices`, which is released; `keep` makes a run. */
export async function sortBuckets(engine: Engine, slices: readonly Slice[], keep: (sorted: Sorted) => Promise<Run>): Promise<Slice[]> {
  const sorted: Slice[] = [];
  for (const slice of slices) {
    if (slice.run.buckets === undefined) {
      sorted.push(slice);
      continue;
    }
    const merges = [...bucketRanges([slice])].map((range) => engine.merge(range.slices, 0, 'run'));
    await Promise.allSettled(merges);
    for (const merge of merges) for (const result of await merge) sorted.push(wholeRun(await keep(result)));
    slice.run.release();
  }
  return sorted;
}
