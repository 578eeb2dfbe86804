/**
 * Merges slices of runs: lays them side by side, counts records, sorts them as slices that are already in order, and
 * gathers them. If the slices have more records than one sort takes, they are cut at a record and merged part by part.
 */

import type { RecordForm, Slice, Sorted, StoredRun } from '../../../contract/engine.js';
import { isKeyed } from '../../../keys/keyed.js';
import { longLine } from '../../../runs/long-lines.js';
import { submitPass } from '../device/dispatch.js';
import { Scratch } from '../device/pool.js';
import { copyOnDevice, loadCopyBytes } from '../records/copy-bytes.js';
import { gather } from '../records/gather.js';
import type { Recoder } from '../records/recode.js';
import { textBufferBytes } from '../records/records.js';
import { assumeRecords, countRecords, writeStarts } from '../records/tokenize.js';
import type { DeviceRun } from './device-run.js';
import { deviceSorted, sortRecords } from './sort-records.js';
import { deviceRun, deviceSlice, isResident } from './sorted.js';
import { type Stages, spanOnDevice } from './stages.js';
import { uploadSources } from './upload.js';

/**
 * Parameters of a merge: the number of ordered bytes that all records share; the form of the result, `run` if it is
 * that of the runs.
 */
interface Merging {
  readonly commonPrefix: number;
  readonly form: RecordForm;
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
    form: isKeyed(ordering) || recoder !== null ? form : 'run',
  });
}

async function merge(stages: Stages, slices: readonly Slice[], merging: Merging): Promise<Sorted[]> {
  const filled = slices.filter(({ from, to }) => to.byte > from.byte);
  if (filled.length === 0) return [];
  if (filled.length === 1) return oneSlice(stages, filled[0], merging.form);
  const bytes = slicesBytes(filled);
  // Under `unique`, large records with one key can exceed what is merged at once.
  if (bytes > stages.textBytes) return mergeInParts(stages, filled, merging);
  // No run is kept any more once merging has begun.
  stages.pool.loosen();

  const start = performance.now();
  // Resident runs know their record counts; the records of others are counted.
  const known = areResident(filled) ? recordsBefore(filled) : null;
  const sorted =
    known !== null && known[filled.length] > stages.recordLimit
      ? null
      : await mergeAtOnce(stages, filled, bytes, known, merging);
  if (sorted === null) return mergeInParts(stages, filled, merging);
  spanOnDevice(stages, 'merge', start, bytes);
  return [sorted];
}

/** A single slice, which needs no merge. */
async function oneSlice(stages: Stages, slice: Slice, form: RecordForm): Promise<Sorted[]> {
  if (form === 'run') return [deviceSlice(stages, slice)];
  if (stages.recoder !== null) return decodedSlice(stages, slice, stages.recoder);
  // A merge in parts may come down to a line that is longer than a text of the device.
  if (slice.to.byte - slice.from.byte > stages.textBytes) return [await longLine(slice, stages.ordering, form)];
  return plainSlice(stages, slice, form);
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
    await loadCopyBytes(gpu);
    const text = await joinSlices(stages, scratch, slices);
    const tokenized =
      known !== null
        ? await assumeRecords(scratch, text, bytes, format, {
            count: known[slices.length],
            boundaries: known.slice(0, -1),
          })
        : await countRecords(scratch, text, bytes, format, bytesBefore(slices));
    if (tokenized.count > stages.recordLimit) return null;
    return await sortRecords(
      stages,
      scratch,
      tokenized,
      { first: 0, count: tokenized.count },
      {
        bounds: [...tokenized.boundaries, tokenized.count],
        ...merging,
      },
    );
  } finally {
    scratch.end();
  }
}

/**
 * Cuts all slices at a record from the middle of the longest one, into records before it, equal records, and records
 * after it. Equal records are in order slice by slice and need no merge, so the recursion ends even if all records are
 * equal.
 */
async function mergeInParts(stages: Stages, slices: readonly Slice[], merging: Merging): Promise<Sorted[]> {
  const longest = slices.reduce((a, b) => (b.to.byte - b.from.byte > a.to.byte - a.from.byte ? b : a));
  const samples = await longest.run.sample(longest.from, longest.to, 3);
  const middle = [await longest.run.record(samples[samples.length >> 1].at)];
  const bounds = await Promise.all(slices.map(async ({ run, from, to }) => (await run.cut(from, to, middle))[0]));
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
    () => eachAlone(stages, stages.ordering.unique ? equals.slice(0, 1) : equals, merging.form),
    () =>
      merge(
        stages,
        slices.map((slice, i) => ({ ...slice, from: bounds[i].upper })),
        merging,
      ),
  ];
  return inTurn(parts);
}

const eachAlone = (stages: Stages, slices: readonly Slice[], form: RecordForm): Promise<Sorted[]> =>
  inTurn(slices.map((slice) => () => oneSlice(stages, slice, form)));

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

function areResident(slices: readonly Slice[]): slices is readonly Slice<DeviceRun>[] {
  return slices.every(isResident);
}

function recordsBefore(slices: readonly Slice<DeviceRun>[]): number[] {
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

/**
 * The text of all slices, in order and without gaps, in a buffer of `scratch`. Stored slices are read and uploaded. If
 * there are resident slices too, stored ones go through a separate buffer: uploads are word-aligned, slices are not.
 */
async function joinSlices(stages: Stages, scratch: Scratch, slices: readonly Slice[]): Promise<GPUBuffer> {
  const stored = slices.filter((slice) => deviceRun(slice.run) === undefined);
  if (stored.length === slices.length) return scratch.add(await uploadStored(stages, stored));
  const text = await scratch.take(textBufferBytes(slicesBytes(slices)), 'merge text');
  const uploaded = stored.length === 0 ? null : scratch.add(await uploadStored(stages, stored));
  submitPass(stages.gpu, 'combine', 'lay out slices', (pass) => {
    let at = 0;
    let uploadedAt = 0;
    for (const { run, from, to } of slices) {
      const bytes = to.byte - from.byte;
      const resident = deviceRun(run);
      const source =
        resident === undefined ? { text: uploaded!, at: uploadedAt } : { text: resident.records.text, at: from.byte };
      copyOnDevice(stages.gpu, pass, source, { text, at }, bytes);
      if (resident === undefined) uploadedAt += bytes;
      at += bytes;
    }
  });
  if (uploaded !== null) scratch.drop(uploaded);
  return text;
}

function slicesBytes(slices: readonly Slice[]): number {
  return slices.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0);
}

/** Reads stored slices into upload memory, one after another. */
function uploadStored({ gpu, uploads, pool }: Stages, slices: readonly Slice[]): Promise<GPUBuffer> {
  return uploadSources(
    gpu,
    uploads,
    pool,
    slices.map(({ run, from, to }) => ({
      bytes: to.byte - from.byte,
      readAt: (byte, target) => (run as StoredRun).readAt(from.byte + byte, target, { writeOnly: true }),
    })),
  );
}

/**
 * Writes one slice of keyed lines. Nothing needs merging, but a gather copies the records in order, without keys.
 * Usually one text; several if there are too many records for one.
 */
async function plainSlice(stages: Stages, slice: Slice, form: RecordForm): Promise<Sorted[]> {
  const { pool, ordering, recordLimit } = stages;
  const { from, to } = slice;
  const scratch = new Scratch(pool);
  const results: Sorted[] = [];
  try {
    const resident = isResident(slice) ? slice : null;
    const tokenized =
      resident === null
        ? await countRecords(
            scratch,
            await joinSlices(stages, scratch, [slice]),
            to.byte - from.byte,
            ordering.format,
            [],
          )
        : null;
    const [begin, end] = resident === null ? [0, tokenized!.count] : [resident.from.index, resident.to.index];
    for (let first = begin; first < end; first += recordLimit) {
      const count = Math.min(recordLimit, end - first);
      const records = tokenized === null ? resident!.run.records : await writeStarts(scratch, tokenized, first, count);
      // Workspace that the gather fills itself.
      const places = await scratch.take(count * 4, 'places of records');
      const result = await gather(scratch, records, places, count, {
        bytes: null,
        ordering,
        form,
        from: tokenized === null ? first : 0,
      });
      scratch.drop(places);
      if (tokenized !== null) scratch.drop(records.starts!);
      results.push(deviceSorted(stages, scratch, result));
    }
    return results;
  } catch (error) {
    for (const result of results) result.release();
    throw error;
  } finally {
    scratch.end();
  }
}

/**
 * Writes one slice of encoded records. Nothing needs merging, but its records are decoded. Usually one text; several if
 * the slice is larger than a merge may be.
 */
async function decodedSlice(stages: Stages, { run, from, to }: Slice, recoder: Recoder): Promise<Sorted[]> {
  const { pool, ordering, recordLimit, textBytes } = stages;
  const most = Math.max(1, Math.min(recordLimit, Math.floor(textBytes / recoder.recordBytes))) * recoder.recordBytes;
  const scratch = new Scratch(pool);
  const results: Sorted[] = [];
  try {
    for (let byte = from.byte; byte < to.byte; byte += most) {
      const bytes = Math.min(most, to.byte - byte);
      const part = { run, from: { ...from, byte }, to: { ...to, byte: byte + bytes } };
      const resident = deviceRun(run);
      const held = resident?.records.text ?? (await joinSlices(stages, scratch, [part]));
      const text = await recoder.decode(scratch, held, resident === undefined ? 0 : byte, bytes);
      if (resident === undefined) scratch.drop(held);
      const decoded = await countRecords(scratch, text, bytes, ordering.format, []);
      results.push(deviceSorted(stages, scratch, await writeStarts(scratch, decoded, 0, decoded.count)));
    }
    return results;
  } catch (error) {
    for (const result of results) result.release();
    throw error;
  } finally {
    scratch.end();
  }
}
