/**
 * The tasks of a range. The first merges it: the slices of all runs, or of the inputs of -m, between two splitters, by
 * the merge that one machine uses. It cuts them itself, so before it merges it knows where it must write, and the
 * digest of the result. The second task copies the range to its place in the output, once the sizes of all ranges are
 * known.
 */
import { recordHolder } from '../input/keyed-bytes.js';
import { located } from '../input/locate-problem.js';
import { NO_OPTION_FILES } from '../input/option-files.js';
import type { SortJob } from '../job/job.js';
import { presenceDigits } from '../keys/presence.js';
import { addDigests, type Digest, NO_RECORDS } from '../report/digest.js';
import { displayName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import type { Splitter } from '../runs/splitters.js';
import { GpusortError, systemError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { inParallel } from '../system/promises.js';
import { inDirectory } from '../system/temporary-files.js';
import { closeQuietly, copyFileBytes, readFilling } from '../system/transfer.js';
import { type JobDirectory, partName } from './directory.js';
import {
  type ClusterJob,
  DamagedFile,
  decoded,
  encoded,
  isInOrder,
  joiningOf,
  keepsKeysWhole,
  mergesInputs,
  readJson,
  refuseStale,
  writeJson,
} from './job-file.js';
import { mergeParts, mergeStoredRuns, type RangePart } from './merge-range.js';
import { OpenFiles } from './open-files.js';
import { edgesOf, partWriter, placeWriter, type RangeWriter, writeEdges } from './range-writer.js';
import { digestFrom, type IndexHeader, plainDigest } from './run-index.js';
import { refuseChanged, restoredInput } from './share-task.js';
import { SortedInput } from './sorted-input.js';
import type { Cuttable } from './splitters.js';
import { lazySurveyor, StoredShare } from './stored-share.js';

/** Runs that are read at once. */
const READS = 16;

/** The done file of a range. */
export interface RangeResult {
  /** The id of the job: a task of an earlier job of this directory may still run. */
  readonly id: string;
  /** Where the range begins in the output, if that is known, and its bytes. */
  readonly offset: number;
  readonly bytes: number;
  /** The digest of the records of all runs that belong to the range. */
  readonly records: IndexHeader['input'];
  /** Bits for the parts of keys that the inputs of -m have (src/keys/presence.ts). */
  readonly presence: string;
}

/** Opens the runs of all shares. */
export async function openShares(
  directory: JobDirectory,
  { job, shares }: ClusterJob,
  files: OpenFiles,
): Promise<StoredShare[]> {
  const surveyor = lazySurveyor(job.ordering, isInOrder(job.ordering) ? 'plain' : 'run');
  const opened: StoredShare[] = [];
  await inParallel(shares, READS, async (_, i) => {
    opened[i] = await StoredShare.open(directory, i, job.ordering, files, surveyor);
  });
  return opened;
}

/** Opens the inputs of -m. */
export async function openSortedInputs({ inputs }: ClusterJob, job: SortJob, files: OpenFiles): Promise<SortedInput[]> {
  const hold = recordHolder(job.ordering);
  const opened: SortedInput[] = [];
  await inParallel(inputs, READS, async (input, i) => {
    opened[i] = await SortedInput.open(i, restoredInput(input, job), job.ordering, files, hold);
  });
  return opened;
}

/** The sources of ranges: the runs of all shares, or the inputs of -m. */
export function openCuttables(
  directory: JobDirectory,
  cluster: ClusterJob,
  job: SortJob,
  files: OpenFiles,
): Promise<readonly (StoredShare | SortedInput)[]> {
  return mergesInputs(cluster) ? openSortedInputs(cluster, job, files) : openShares(directory, cluster, files);
}

/** An error for a record of an input of -m, with the record's place. */
export function locatedIn(cluster: ClusterJob, error: unknown): Promise<unknown> {
  const { job, inputs } = cluster;
  const files = mergesInputs(cluster) ? inputs.map((input) => restoredInput(input, job)) : [];
  return located(error, { files, named: NO_OPTION_FILES }, job);
}

export function writeSplitters(directory: JobDirectory, splitters: readonly Splitter[]): Promise<void> {
  return writeJson(directory.splitters(), encoded(splitters));
}

/** The splitters, in order; null if they are not chosen yet. */
export function readSplitters(directory: JobDirectory): readonly Splitter[] | null {
  const stored = readJson(directory.splitters());
  return stored === null ? null : (decoded(stored) as readonly Splitter[]);
}

/** Merges a range. `job`: that of the directory, with the settings of the task's command. */
export async function runRange(
  directory: JobDirectory,
  cluster: ClusterJob,
  job: SortJob,
  { number, splitters }: { readonly number: number; readonly splitters: readonly Splitter[] },
  recorder: Recorder,
): Promise<void> {
  const files = new OpenFiles();
  try {
    const bounds = await boundsOf(cluster, await openCuttables(directory, cluster, job, files), splitters, number);
    const expected = bounds.map(({ from, to }) => difference(to.before, from.before)).reduce(addDigests, NO_RECORDS);
    const { header, text } = cluster;
    const offset = bounds.reduce((sum, { from }) => sum + from.before.bytes, 0) + (number > 0 ? header.length : 0);
    const length = expected.bytes + (number === 0 ? header.length : 0);
    recorder.advance('merging', 0, expected.bytes);
    const joining = joiningOf(job);
    const open = (): Promise<RangeWriter> =>
      joining === 'in place'
        ? placeWriter({ output: text, edges: directory.edges(number), begin: offset, end: offset + length }, recorder)
        : partWriter(joining === 'parts' ? inDirectory(text, partName(number)) : directory.part(number), recorder);
    const work = { header, job, number, open, recorder };
    // The merge opens the inputs itself.
    if (mergesInputs(cluster)) files.close();
    const { bytes, records } = mergesInputs(cluster)
      ? await mergeParts(work, bounds as RangePart<SortedInput>[])
      : await mergeStoredRuns(work, bounds as RangePart[], expected);
    if (mergesInputs(cluster)) for (const input of cluster.inputs) refuseChanged(input, job.mode);
    refuseStale(directory, cluster);
    const presence = presenceDigits(recorder);
    const result: RangeResult = { id: cluster.id, offset, bytes, records: plainDigest(records), presence };
    await writeJson(directory.range(number), result);
  } catch (error) {
    throw await locatedIn(cluster, error);
  } finally {
    files.close();
  }
}

async function boundsOf<Of extends Cuttable>(
  { job }: ClusterJob,
  shares: readonly Of[],
  splitters: readonly Splitter[],
  number: number,
): Promise<RangePart<Of>[]> {
  // Segments stay in the order of the input.
  if (isInOrder(job.ordering))
    return shares.map((share) => ({
      share,
      from: share.number < number ? share.end : share.begin,
      to: share.number <= number ? share.end : share.begin,
    }));
  const whole = keepsKeysWhole(job);
  const bounds: RangePart<Of>[] = [];
  await inParallel(shares, READS, async (share, i) => {
    bounds[i] = {
      share,
      from: number === 0 ? share.begin : await share.cut(splitters[number - 1], whole),
      to: number === splitters.length ? share.end : await share.cut(splitters[number], whole),
    };
    share.endCuts();
  });
  return bounds;
}

function difference(a: Digest, b: Digest): Digest {
  return { records: a.records - b.records, bytes: a.bytes - b.bytes, hash: BigInt.asUintN(64, a.hash - b.hash) };
}

/** The sum of the digests of ranges. */
export const sumOf = (results: readonly RangeResult[]): Digest =>
  results.map(({ records }) => digestFrom(records)).reduce(addDigests, NO_RECORDS);

/** Where the ranges begin in the output, written once all their sizes are known. */
export function writePlaces(directory: JobDirectory, results: readonly RangeResult[]): Promise<void> {
  let begin = 0;
  const places = results.map(({ bytes }) => {
    begin += bytes;
    return begin - bytes;
  });
  return writeJson(directory.places(), places);
}

/** Copies range `number` to its place, except its ragged edges, which are left to the client. */
export async function placePart(
  directory: JobDirectory,
  { text }: ClusterJob,
  number: number,
  recorder: Recorder,
): Promise<void> {
  const begin = (readJson(directory.places()) as readonly number[])[number];
  const { bytes } = readJson(directory.range(number)) as RangeResult;
  const { head, tail } = edgesOf(begin, begin + bytes);
  recorder.advance('writing', 0, bytes);
  const from = await fileSystem.open(directory.part(number), 'r').catch((error: unknown) => {
    throw systemError('read-failed', 'open failed', displayName(directory.part(number)), error);
  });
  try {
    if (Number(fileSystem.fstatSync(from).size) !== bytes)
      throw new DamagedFile(
        directory.part(number),
        `Run the same command again after: rm ${displayName(directory.range(number))}`,
      );
    const to = await fileSystem.open(text, 'r+');
    try {
      await copyFileBytes(from, to, { begin: head, end: bytes - tail, shift: begin });
      await fileSystem.fsync(to);
      const edges = Buffer.allocUnsafe(head + tail);
      await readFilling(from, edges.subarray(0, head), 0);
      await readFilling(from, edges.subarray(head), bytes - tail);
      await writeEdges(directory.edges(number), [edges]);
    } finally {
      closeQuietly(to);
    }
  } catch (error) {
    throw error instanceof GpusortError ? error : systemError('write-failed', 'write failed', displayName(text), error);
  } finally {
    closeQuietly(from);
  }
  await writeJson(directory.placed(number), { begin });
}
