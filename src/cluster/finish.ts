/**
 * The end of a distributed sort: compares what the ranges have with what the shares have, writes the ragged edges, and
 * puts the output in place.
 */
import { addDigests, type Digest, NO_RECORDS } from '../digest.js';
import { fileSystem } from '../file-system.js';
import { mostOpenInputs } from '../limits.js';
import { compressing } from '../output/compress.js';
import { fileDestination } from '../output/file-sink.js';
import { PRIVATE, SortedText } from '../output/sorted-text.js';
import type { FileTarget, openTarget } from '../output/target.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
import type { Recorder } from '../report/stats.js';
import { inDirectory } from '../temporary-files.js';
import { writeFully } from '../transfer.js';
import { type JobDirectory, partName, readJson, taskName, writeJson } from './directory.js';
import { type ClusterJob, hasAll, joiningOf } from './job-file.js';
import { OpenFiles } from './open-files.js';
import { placePart, writePlaces } from './place-task.js';
import { openShares, type RangeResult, readSplitters, sumOf } from './range-task.js';
import { edgesOf } from './range-writer.js';
import { digestFrom } from './run-index.js';

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** The number of ranges, once the splitters are chosen; shares of segments are ranges. */
export function rangeCount(directory: JobDirectory, { job, shares }: ClusterJob): number {
  if (job.ordering.segments !== undefined) return Math.max(1, shares.length);
  return (readSplitters(directory)?.length ?? 0) + 1;
}

/** Checks everything and makes the ranges the output. All tasks must be done. Throws `verify-failed`. */
export async function finishOutput(
  directory: JobDirectory,
  cluster: ClusterJob,
  target: Target | null,
  recorder: Recorder,
): Promise<void> {
  const results = rangeResults(directory, rangeCount(directory, cluster));
  await checkSums(directory, cluster, results);
  const total = results.reduce((sum, { bytes }) => sum + bytes, 0);
  if (joiningOf(cluster.job) === 'copied') await placeAll(directory, cluster, results, recorder);
  if (joiningOf(cluster.job) === 'parts') await finishParts(cluster, results);
  else await finishFile(directory, cluster, results, total, target as FileTarget, recorder);
}

/** The results of the ranges [0, count). Throws `usage` if some are not done. */
export function rangeResults(directory: JobDirectory, count: number): RangeResult[] {
  const results = Array.from({ length: count }, (_, i) => readJson(directory.range(i)) as RangeResult | null);
  const missing = results.flatMap((result, i) => (result === null ? [taskName('range', i)] : []));
  if (missing.length === 0) return results as RangeResult[];
  throw new GpusortError('usage', `${directory.label} is not ready to be finished: ${missing[0]} is not done`, {
    hint: `${missing.length === 1 ? 'It is the only one' : `${missing.length} ranges are not done`}. Run them first.`,
  });
}

/** Copies the ranges to their places, unless tasks have done so. */
async function placeAll(
  directory: JobDirectory,
  cluster: ClusterJob,
  results: readonly RangeResult[],
  recorder: Recorder,
): Promise<void> {
  if (readJson(directory.places()) === null) await writePlaces(directory, results);
  for (const i of results.keys()) if (!directory.isDone('place', i)) await placePart(directory, cluster, i, recorder);
}

/** The ranges must have exactly the records of the runs, and the runs what was read for them. */
async function checkSums(directory: JobDirectory, cluster: ClusterJob, results: readonly RangeResult[]): Promise<void> {
  const files = new OpenFiles(Math.ceil(mostOpenInputs() / 2));
  try {
    const shares = await openShares(directory, cluster, files);
    const runs = shares.map((share) => share.digest).reduce(addDigests, NO_RECORDS);
    if (hasAll(cluster.job)) {
      const read = shares.map(({ header }) => digestFrom(header.input)).reduce(addDigests, NO_RECORDS);
      compare('the sorted shares', runs, read);
    }
    compare('the ranges of the output', sumOf(results), runs);
    if (joiningOf(cluster.job) !== 'in place') return;
    let offset = 0;
    for (const [i, result] of results.entries()) {
      if (result.offset !== offset)
        throw wrong(`range ${i} begins at byte ${result.offset} of the output instead of ${offset}`);
      offset += result.bytes;
    }
  } finally {
    files.close();
  }
}

function compare(what: string, found: Digest, expected: Digest): void {
  if (found.records !== expected.records || found.bytes !== expected.bytes)
    throw wrong(
      `${what} have ${found.records} records of ${found.bytes} bytes instead of ${expected.records} ` +
        `of ${expected.bytes}`,
    );
  if (found.hash !== expected.hash) throw wrong(`${what} have other records than were read`);
}

function wrong(what: string): GpusortError {
  return new GpusortError('verify-failed', `the output would be wrong: ${what}`, {
    hint: 'Nothing was written. Remove the job directory and start again; if this recurs, please report it.',
  });
}

async function finishFile(
  directory: JobDirectory,
  { job, text }: ClusterJob,
  results: readonly RangeResult[],
  total: number,
  target: FileTarget,
  recorder: Recorder,
): Promise<void> {
  let adopted: SortedText;
  try {
    adopted = new SortedText([], [], PRIVATE, text);
  } catch (error) {
    throw systemError('read-failed', 'open failed', displayName(text), error);
  }
  const destination = fileDestination(target, [], true, recorder, adopted);
  try {
    let offset = 0;
    for (const [i, { bytes }] of results.entries()) {
      const { head, tail } = edgesOf(offset, offset + bytes);
      const edges = fileSystem.readFileSync(directory.edges(i));
      if (edges.length !== head + tail)
        throw wrong(`${displayName(directory.edges(i))} has ${edges.length} bytes instead of ${head + tail}`);
      await writeFully(adopted.fd, [edges.subarray(0, head)].filter(isFull), offset);
      await writeFully(adopted.fd, [edges.subarray(head)].filter(isFull), offset + bytes - tail);
      offset += bytes;
    }
    await destination.complete(total + (await writeEnd(job, adopted.fd, total)));
    await destination.place();
  } catch (error) {
    await destination.abort();
    throw error instanceof GpusortError ? error : systemError('write-failed', 'write failed', displayName(text), error);
  }
}

const isFull = (bytes: Uint8Array): boolean => bytes.length > 0;

/** Writes what ends a compressed file after its parts; resolves to its bytes. */
async function writeEnd({ outputForm }: ClusterJob['job'], fd: number, at: number): Promise<number> {
  if (outputForm === null || (at > 0 && outputForm.kind !== 'bgzf')) return 0;
  let bytes = 0;
  const end = compressing({ ...outputForm, threads: 0 }, async (block) => {
    await writeFully(fd, [block], at + bytes);
    bytes += block.length;
  });
  await end.finish();
  return bytes;
}

async function finishParts({ job, text }: ClusterJob, results: readonly RangeResult[]): Promise<void> {
  const output = job.output!;
  const sum = sumOf(results);
  await writeJson(inDirectory(text, 'manifest.json'), {
    parts: results.map(({ bytes, records }, i) => ({
      file: partName(i),
      bytes,
      records: records.records,
    })),
    bytes: results.reduce((all, { bytes }) => all + bytes, 0),
    records: sum.records,
  });
  try {
    fileSystem.renameSync(text, output);
  } catch (error) {
    throw systemError(
      'write-failed',
      'write failed',
      displayName(output),
      error,
      `The complete parts are in ${displayName(text)}.`,
    );
  }
}
