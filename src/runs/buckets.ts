/**
 * Runs of distributed text (src/contract/engine.ts). Their buckets become the ranges of the output. The buckets are
 * sorted into ordinary runs first if a record must be located in them or if one is too large.
 */
import type { DistributedRun, Engine, KeptRun, Run, Slice, Sorted } from '../contract/engine.js';
import { bytesOf, type Range, wholeRun } from './partition.js';

function bucketOf(run: DistributedRun, bucket: number): Slice<DistributedRun> {
  return { run, from: bucket === 0 ? run.begin : { byte: run.buckets[bucket - 1] }, to: { byte: run.buckets[bucket] } };
}

/** Yields one range for each bucket. */
export function* bucketRanges(slices: readonly Slice<DistributedRun>[]): Generator<Range<DistributedRun>> {
  const buckets = slices[0]?.run.buckets.length ?? 0;
  for (let bucket = 0; bucket < buckets; bucket++) {
    const range = slices.map(({ run }) => bucketOf(run, bucket)).filter((slice) => slice.to.byte > slice.from.byte);
    if (range.length > 0) yield { slices: range, commonPrefix: 0 };
  }
}

const isSorted = (slice: Slice<KeptRun>): slice is Slice => slice.run.buckets === undefined;

/** Whether none of the runs is distributed. */
export function areSorted(slices: Slice<KeptRun>[]): slices is Slice[];
export function areSorted(slices: readonly Slice<KeptRun>[]): slices is readonly Slice[];
export function areSorted(slices: readonly Slice<KeptRun>[]): slices is readonly Slice[] {
  return slices.every(isSorted);
}

/** Whether all runs are distributed. */
export function areDistributed(slices: readonly Slice<KeptRun>[]): slices is readonly Slice<DistributedRun>[] {
  return slices.every(({ run }) => run.buckets !== undefined);
}

/** Whether every bucket can be sorted at once: none has more than `most` bytes. */
export function bucketsFit(slices: readonly Slice<DistributedRun>[], most: number): boolean {
  return [...bucketRanges(slices)].every((range) => bytesOf(range.slices) <= most);
}

/** Replaces each distributed run by sorted runs, made by `keep`, and releases it. Returns all slices. */
export async function sortBuckets(
  engine: Engine,
  slices: readonly Slice<KeptRun>[],
  keep: (sorted: Sorted) => Promise<Run>,
): Promise<Slice[]> {
  const sorted: Slice[] = [];
  for (let at = 0; at < slices.length; at += engine.lanes) {
    const some = slices.slice(at, at + engine.lanes);
    const merges = some.map((slice) => (isSorted(slice) ? slice : engine.merge([slice], 0, 'run')));
    await Promise.allSettled(merges);
    for (const [i, merged] of merges.entries()) {
      if ('run' in merged) sorted.push(merged);
      else {
        const results = await merged;
        some[i].run.release();
        for (const result of results) sorted.push(wholeRun(await keep(result)));
      }
    }
  }
  return sorted;
}
