/**
 * Runs of distributed text (engine.ts). Their buckets become the ranges of the output. The buckets are sorted into
 * ordinary runs first if a record must be located in them or if one is too large.
 */
import type { Engine, Position, Run, Slice, Sorted } from '../engine.js';
import { type Range, wholeRun } from './partition.js';

const at = (byte: number): Position => ({ index: byte, byte });

function bucketOf(run: Run, bucket: number): Slice {
  return { run, from: at(bucket === 0 ? 0 : run.buckets![bucket - 1]), to: at(run.buckets![bucket]) };
}

const bytesOf = (slices: readonly Slice[]): number =>
  slices.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0);

/**
 * Yields one range for each bucket. All runs must be distributed; if one is not, `sortBuckets` must sort the others
 * first.
 */
export function* bucketRanges(slices: readonly Slice[]): Generator<Range> {
  const buckets = slices[0].run.buckets!.length;
  for (let bucket = 0; bucket < buckets; bucket++) {
    const range = slices.map(({ run }) => bucketOf(run, bucket)).filter((slice) => slice.to.byte > slice.from.byte);
    if (range.length > 0) yield { slices: range, commonPrefix: 0 };
  }
}

/** Whether any of the runs is distributed. */
export function isDistributed(slices: readonly Slice[]): boolean {
  return slices.some(({ run }) => run.buckets !== undefined);
}

/** Whether every bucket can be sorted at once: all runs are distributed, and no bucket has more than `most` bytes. */
export function bucketsFit(slices: readonly Slice[], most: number): boolean {
  return (
    slices.every(({ run }) => run.buckets !== undefined) &&
    [...bucketRanges(slices)].every((range) => bytesOf(range.slices) <= most)
  );
}

/** Replaces each distributed run by sorted runs, made by `keep`, and releases it. Returns all slices. */
export async function sortBuckets(
  engine: Engine,
  slices: readonly Slice[],
  keep: (sorted: Sorted) => Promise<Run>,
): Promise<Slice[]> {
  const sorted: Slice[] = [];
  for (let at = 0; at < slices.length; at += engine.lanes) {
    const some = slices.slice(at, at + engine.lanes);
    const merges = some.map((slice) => (slice.run.buckets === undefined ? null : engine.merge([slice], 0, 'run')));
    await Promise.allSettled(merges);
    for (const [i, merge] of merges.entries()) {
      if (merge === null) sorted.push(some[i]);
      else {
        const results = await merge;
        some[i].run.release();
        for (const result of results) sorted.push(wholeRun(await keep(result)));
      }
    }
  }
  return sorted;
}
