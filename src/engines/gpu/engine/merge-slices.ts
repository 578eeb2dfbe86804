/**
 * Merges slices of runs: lays them side by side, counts records, sorts them as slices that are already in order,
 * gathers. If the slices have more records than one sort takes, they are cut at a record and merged part by part.
 */

import { isKeyed } from '../../../keys/keyed.js';
import { isLongLine, longLine } from '../../../runs/large.js';
import type { RecordForm, Slice, Sorted } from '../../contract.js';
import { Scratch } from '../device/pool.js';
import { assumeRecords, countRecords } from '../records/tokenize.js';
import { bytesOf, layOut, loadCopySlices } from './copy-slices.js';
import { decodedSlice } from './decoded-slice.js';
import { plainSlice } from './plain-slice.js';
import { sortRecords } from './sort-records.js';
import { deviceRun, sliceSorted } from './sorted.js';
import { type Stages, spanOnDevice } from './stages.js';

/** Parameters of a merge: ordered bytes that all records share, and whether the result is as records were read. */
interface Merging {
  readonly commonPrefix: number;
  readonly plain: boolean;
}

/** Merges slices. The results are emitted one after another. */
export async function mergeSlices(
  stages: Stages,
  slices: readonly Slice[],
  commonPrefix: number,
  form: RecordForm,
): Promise<Sorted[]> {
  const { ordering, recoder } = stages;
  return merge(stages, slices, {
    commonPrefix,
    plain: form === 'output' && (isKeyed(ordering) || recoder !== null),
  });
}

async function merge(stages: Stages, slices: readonly Slice[], merging: Merging): Promise<Sorted[]> {
  const filled = slices.filter(({ from, to }) => to.byte > from.byte);
  if (filled.length === 0) return [];
  if (filled.length === 1) return oneSlice(stages, filled[0], merging.plain);
  const bytes = bytesOf(filled);
  // Under `unique` a key of large records can exceed what is merged at once.
  if (bytes > stages.textBytes) return mergeInParts(stages, filled, merging);
  // Runs are complete once they are merged.
  stages.pool.loosen();

  const start = performance.now();
  // Resident runs know their record counts; the records of others are counted.
  const known = filled.every((slice) => deviceRun(slice.run) !== undefined) ? recordsBefore(filled) : null;
  const sorted =
    known !== null && known[filled.length] > stages.recordLimit
      ? null
      : await mergeAtOnce(stages, filled, bytes, known, merging);
  if (sorted === null) return mergeInParts(stages, filled, merging);
  spanOnDevice(stages, 'merge', start, bytes);
  return [sorted];
}

/** A slice with nothing to merge it with. */
async function oneSlice(stages: Stages, slice: Slice, plain: boolean): Promise<Sorted[]> {
  if (!plain) return [sliceSorted(stages, slice)];
  if (stages.recoder !== null) return decodedSlice(stages, slice, stages.recoder);
  if (isLongLine(slice, stages.textBytes)) return [await longLine(slice, stages.ordering)];
  return plainSlice(stages, slice);
}

/** Sorts all slices at once; null if they have too many records. */
async function mergeAtOnce(
  stages: Stages,
  slices: readonly Slice[],
  bytes: number,
  known: readonly number[] | null,
  merging: Merging,
): Promise<Sorted | null> {
  const {
    gpu,
    pool,
    ordering: { format },
  } = stages;
  const scratch = new Scratch(pool);
  try {
    await loadCopySlices(gpu);
    const text = await layOut(stages, scratch, slices);
    const tokenized =
      known !== null
        ? await assumeRecords(gpu, scratch, text, bytes, format, known[slices.length], known.slice(0, -1))
        : await countRecords(gpu, scratch, text, bytes, format, bytesBefore(slices));
    if (tokenized.count > stages.recordLimit) return null;
    return await sortRecords(stages, scratch, tokenized, 0, tokenized.count, {
      bounds: [...tokenized.boundaries, tokenized.count],
      ...merging,
    });
  } finally {
    scratch.end();
  }
}

/**
 * Cuts all slices at a record from the middle of the longest one: records before it, equal records, records after it.
 * Equal records are in order slice by slice and need no merge, so the recursion ends even if all records are equal.
 */
async function mergeInParts(stages: Stages, slices: readonly Slice[], merging: Merging): Promise<Sorted[]> {
  const longest = slices.reduce((a, b) => (b.to.byte - b.from.byte > a.to.byte - a.from.byte ? b : a));
  const samples = await longest.run.sample(longest.from, longest.to, 3);
  const middle = await longest.run.record(samples[samples.length >> 1].at);
  const bounds = await Promise.all(slices.map(async ({ run, from, to }) => (await run.cut(from, to, [middle]))[0]));
  const equals = slices
    .map((slice, i) => ({ run: slice.run, from: bounds[i].lower, to: bounds[i].upper }))
    .filter(({ from, to }) => to.byte > from.byte);
  const parts = [
    () =>
      merge(
        stages,
        slices.map((slice, i) => ({ ...slice, to: bounds[i].lower })),
        merging,
      ),
    // Under `unique` each run has one record per key, and the first run's record is the one to keep.
    () => eachAlone(stages, stages.ordering.unique ? equals.slice(0, 1) : equals, merging.plain),
    () =>
      merge(
        stages,
        slices.map((slice, i) => ({ ...slice, from: bounds[i].upper })),
        merging,
      ),
  ];
  return inTurn(parts);
}

const eachAlone = (stages: Stages, slices: readonly Slice[], plain: boolean): Promise<Sorted[]> =>
  inTurn(slices.map((slice) => () => oneSlice(stages, slice, plain)));

/** All results, computed one after another. If one fails, the results so far are released. */
async function inTurn(parts: readonly (() => Promise<Sorted[]>)[]): Promise<Sorted[]> {
  const results: Sorted[] = [];
  try {
    for (const part of parts) results.push(...(await part()));
    return results;
  } catch (error) {
    for (const result of results) result.release();
    throw error;
  }
}

function recordsBefore(slices: readonly Slice[]): number[] {
  const before = [0];
  for (const { from, to } of slices) before.push(before[before.length - 1] + to.index - from.index);
  return before;
}

/** The byte at which each slice begins in the combined text. */
function bytesBefore(slices: readonly Slice[]): number[] {
  let at = 0;
  return slices.map(({ from, to }) => {
    at += to.byte - from.byte;
    return at - (to.byte - from.byte);
  });
}
