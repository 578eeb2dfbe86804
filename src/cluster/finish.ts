/**
 * The end of a distributed sort: compares the ranges with the shares, writes the ragged edges, and puts the output in
 * place.
 */

import { joinedPresence, warnOfAbsent } from '../keys/presence.js';
import { compressing } from '../output/compress.js';
import { fileDestination } from '../output/file-sink.js';
import { SortedText } from '../output/sorted-text.js';
import { exists, type FileTarget, type NewTarget } from '../output/target.js';
import { addDigests, type Digest, NO_RECORDS } from '../report/digest.js';
import { displayName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import { warn } from '../report/warnings.js';
import type { Splitter } from '../runs/splitters.js';
import { GpusortError, systemError, systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { inParallel } from '../system/promises.js';
import { inDirectory, PRIVATE } from '../system/temporary-files.js';
import { closeQuietly, writeFully } from '../system/transfer.js';
import { type JobDirectory, partName, taskName, writeWhole } from './directory.js';
import {
  type ClusterJob,
  DamagedFile,
  hasAll,
  isInOrder,
  joiningOf,
  mergesInputs,
  parseJson,
  readJobFile,
  readJson,
  writeJson,
} from './job-file.js';
import { OpenFiles } from './open-files.js';
import {
  openShares,
  openSortedInputs,
  placePart,
  type RangeResult,
  readSplitters,
  sumOf,
  writePlaces,
} from './range-task.js';
import { edgesOf, readEdges } from './range-writer.js';
import { digestFrom } from './run-index.js';

/** Ranges whose files are read at once, because network file systems are slow to answer. */
const RANGES_AT_ONCE = 8;

/** A range whose files are damaged: it must be merged again. */
export class DamagedRange extends GpusortError {
  readonly range: number;

  constructor(range: number, { message, hint }: DamagedFile) {
    super('read-failed', message, hint === undefined ? {} : { hint });
    this.range = range;
  }
}

/** The number of ranges, once the splitters are chosen; shares of segments are ranges. */
export function rangeCount(directory: JobDirectory, cluster: ClusterJob): number {
  return rangesBetween(readSplitters(directory) ?? [], cluster);
}

/** The same, if the splitters are known. */
export function rangesBetween(splitters: readonly Splitter[], { job, shares }: ClusterJob): number {
  return isInOrder(job.ordering) ? Math.max(1, shares.length) : splitters.length + 1;
}

/** Checks everything and makes the ranges the output. All tasks must be done. Throws `verify-failed`. */
export async function finishOutput(
  directory: JobDirectory,
  cluster: ClusterJob,
  target: FileTarget | NewTarget | null,
  recorder: Recorder,
): Promise<void> {
  const results = await rangeResults(directory, cluster, rangeCount(directory, cluster));
  const presences = await checkSums(directory, cluster, results);
  if (joiningOf(cluster.job) === 'copied') await placeAll(directory, cluster, results, recorder);
  if (joiningOf(cluster.job) === 'parts') await finishParts(directory, cluster, results);
  else await finishFile(directory, cluster, results, target!, recorder);
  warnOfAbsent(cluster.job, joinedPresence(presences));
}

/** Removes the job directory of a sort that is finished. */
export async function removeJob(directory: JobDirectory): Promise<void> {
  try {
    await directory.remove();
  } catch (error) {
    warn(`cannot remove ${directory.label}: ${systemText(error)}`);
  }
}

/** The finished output, as a later client can identify it. */
interface Finished {
  readonly id: string;
  readonly identity: string;
}

function writeFinished(directory: JobDirectory, { id, text }: ClusterJob): Promise<void> {
  return writeJson(directory.finished(), { id, identity: identityAt(text) } satisfies Finished);
}

/**
 * The state of a sort whose client was killed while it put the output in place: null if there is more to do; otherwise
 * whether the output is still that of the sort.
 */
export function finishedAs(directory: JobDirectory, { id, text }: ClusterJob, output: Buffer): boolean | null {
  const finished = readJson(directory.finished()) as Finished | null;
  if (finished === null || finished.id !== id || exists(text)) return null;
  return exists(output) && identityAt(output) === finished.identity;
}

function identityAt(name: Buffer): string {
  const { ino, size, mtimeNs } = fileSystem.statSync(name);
  return `${ino}:${size}:${mtimeNs}`;
}

/** The results of the ranges [0, count). Throws `usage` if some are not done, DamagedRange if they cannot be read. */
export async function rangeResults(
  directory: JobDirectory,
  { id }: Pick<ClusterJob, 'id'>,
  count: number,
): Promise<RangeResult[]> {
  const results: (RangeResult | null)[] = [];
  await eachRange(count, async (i) => {
    const name = directory.range(i);
    const bytes = await readJobFile(name);
    const result = bytes && (parseJson(name, bytes) as RangeResult);
    results[i] = result?.id === id ? result : null;
  });
  const missing = results.flatMap((result, i) => (result === null ? [taskName('range', i)] : []));
  if (missing.length === 0) return results as RangeResult[];
  throw new GpusortError('usage', `${directory.label} is not ready to be finished: ${missing[0]} is not done`, {
    hint: `${missing.length === 1 ? 'It is the only one' : `${missing.length} ranges are not done`}. Run them first.`,
  });
}

/** Calls `work` for each range, for several at once. Throws DamagedRange. */
function eachRange(count: number, work: (range: number) => Promise<void>): Promise<void> {
  return inParallel([...Array(count).keys()], RANGES_AT_ONCE, async (range) => {
    try {
      await work(range);
    } catch (error) {
      throw error instanceof DamagedFile ? new DamagedRange(range, error) : error;
    }
  });
}

/** Copies the ranges to their places, unless tasks have done so. */
async function placeAll(
  directory: JobDirectory,
  cluster: ClusterJob,
  results: readonly RangeResult[],
  recorder: Recorder,
): Promise<void> {
  if (!fileSystem.existsSync(directory.places())) await writePlaces(directory, results);
  for (const i of results.keys()) if (!directory.isDone('place', i)) await placePart(directory, cluster, i, recorder);
}

/**
 * Checks that the ranges have exactly the records of the runs, and the runs exactly the records that were read. Returns
 * the bits with which tasks report the key parts that records have (src/keys/presence.ts).
 */
async function checkSums(
  directory: JobDirectory,
  cluster: ClusterJob,
  results: readonly RangeResult[],
): Promise<readonly string[]> {
  const files = new OpenFiles();
  try {
    if (mergesInputs(cluster)) {
      await checkBytes(cluster, results, files);
      return results.map(({ presence }) => presence);
    }
    const shares = await openShares(directory, cluster, files);
    const runs = shares.map((share) => share.digest).reduce(addDigests, NO_RECORDS);
    if (hasAll(cluster.job)) {
      const read = shares.map(({ header }) => digestFrom(header.input)).reduce(addDigests, NO_RECORDS);
      compare('the sorted shares', runs, read);
    }
    compare('the ranges of the output', sumOf(results), runs);
    const presences = shares.map(({ header }) => header.presence);
    if (joiningOf(cluster.job) !== 'in place') return presences;
    let offset = 0;
    for (const [i, result] of results.entries()) {
      if (result.offset !== offset)
        throw wrong(`range ${i} begins at byte ${result.offset} of the output instead of ${offset}`);
      offset += result.bytes;
    }
    const bytes = cluster.header.length + runs.bytes;
    if (offset !== bytes) throw wrong(`the ranges have ${offset} bytes instead of ${bytes}`);
    return presences;
  } finally {
    files.close();
  }
}

/**
 * Checks that the ranges of -m have exactly the bytes of the inputs; each range task has compared the records that it
 * read and wrote.
 */
async function checkBytes(cluster: ClusterJob, results: readonly RangeResult[], files: OpenFiles): Promise<void> {
  if (cluster.job.output.limit !== null) return;
  const inputs = await openSortedInputs(cluster, cluster.job, files);
  const bytes = inputs.reduce((sum, { end }) => sum + end.byte, 0);
  const merged = sumOf(results);
  if (merged.bytes !== bytes) throw wrong(`the ranges have ${merged.bytes} bytes of records instead of ${bytes}`);
}

function compare(what: string, found: Digest, expected: Digest): void {
  if (found.records !== expected.records || found.bytes !== expected.bytes)
    throw wrong(
      `${what} have ${found.records} records of ${found.bytes} bytes instead of ${expected.records} ` +
        `of ${expected.bytes}`,
    );
  if (found.hash !== expected.hash) throw wrong(`${what} have different records from those that were read`);
}

function wrong(what: string): GpusortError {
  return new GpusortError('verify-failed', `the output would be wrong: ${what}`, {
    hint: 'The file of -o keeps its contents. If this recurs, please report it.',
  });
}

async function finishFile(
  directory: JobDirectory,
  cluster: ClusterJob,
  results: readonly RangeResult[],
  target: FileTarget | NewTarget,
  recorder: Recorder,
): Promise<void> {
  const total = results.reduce((sum, range) => sum + range.bytes, 0);
  const bytes = total + (await writeRest(directory, cluster, results, total));
  const { text } = cluster;
  let adopted: SortedText;
  try {
    adopted = new SortedText([], [], PRIVATE, text);
  } catch (error) {
    throw systemError('read-failed', 'open failed', displayName(text), error);
  }
  // An earlier output may have been removed since the job began.
  if (target.kind === 'new') fileSystem.chmodSync(text, NEW_MODE & ~process.umask());
  const destination = fileDestination(target, [], { sync: true, recorder }, adopted);
  try {
    await destination.complete(bytes);
    await writeFinished(directory, cluster);
    await destination.place();
  } catch (error) {
    await destination.abort();
    // The text is complete, and the message says where it is. Nothing else is needed.
    if (adopted.isKept) await removeJob(directory);
    throw error;
  }
}

/** Writes the edges of the ranges and the end of a compressed file. Resolves to the bytes of that end. */
async function writeRest(
  directory: JobDirectory,
  { job, text }: ClusterJob,
  results: readonly RangeResult[],
  total: number,
): Promise<number> {
  let fd = -1;
  try {
    fd = await fileSystem.open(text, 'r+');
    const size = Number(fileSystem.fstatSync(fd).size);
    const ends: number[] = [];
    for (const { bytes } of results) ends.push((ends.at(-1) ?? 0) + bytes);
    await eachRange(results.length, async (i) => {
      const [begin, end] = [ends[i] - results[i].bytes, ends[i]];
      const { head, tail } = edgesOf(begin, end);
      if (head + tail < results[i].bytes && size < end - tail) throw wrong(`${displayName(text)} was cut short`);
      const edges = await readEdges(directory.edges(i), head + tail);
      await writeFully(fd, [edges.subarray(0, head)].filter(isFull), begin);
      await writeFully(fd, [edges.subarray(head)].filter(isFull), end - tail);
    });
    return await writeEnd(job.output, fd, total);
  } catch (error) {
    throw error instanceof GpusortError ? error : systemError('write-failed', 'write failed', displayName(text), error);
  } finally {
    if (fd >= 0) closeQuietly(fd);
  }
}

/** The mode of a new file, less the umask. */
const NEW_MODE = 0o666;

const isFull = (bytes: Uint8Array): boolean => bytes.length > 0;

/** Writes the end of a compressed file after its parts; resolves to its bytes. */
async function writeEnd({ compression }: ClusterJob['job']['output'], fd: number, at: number): Promise<number> {
  if (compression === null || (at > 0 && compression.kind !== 'bgzf')) return 0;
  let bytes = 0;
  const end = compressing({ ...compression, threads: 0 }, async (block) => {
    await writeFully(fd, [block], at + bytes);
    bytes += block.length;
  });
  await end.finish();
  return bytes;
}

async function finishParts(
  directory: JobDirectory,
  cluster: ClusterJob,
  results: readonly RangeResult[],
): Promise<void> {
  const { job, text } = cluster;
  const output = job.output.file!;
  const sum = sumOf(results);
  const manifest = {
    parts: results.map(({ bytes, records }, i) => ({
      file: partName(i),
      bytes,
      records: records.records,
    })),
    bytes: results.reduce((all, { bytes }) => all + bytes, 0),
    records: sum.records,
  };
  checkParts(text, manifest);
  await writeWhole(inDirectory(text, 'manifest.json'), [Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)]);
  await writeFinished(directory, cluster);
  try {
    fileSystem.renameSync(text, output);
  } catch (error) {
    throw systemError(
      'write-failed',
      'write failed',
      displayName(output),
      error,
      exists(text)
        ? `The complete parts are in ${displayName(text)}.`
        : `The parts are lost: ${displayName(text)} was removed.`,
    );
  }
}

/** Checks that all parts exist, and no other files that killed tasks may have left. */
function checkParts(text: Buffer, { parts }: { readonly parts: readonly { file: string; bytes: number }[] }): void {
  const sizes = new Map(parts.map(({ file, bytes }) => [file, bytes]));
  try {
    for (const entry of fileSystem.readdirSync(text)) {
      const [name, file] = [entry.toString('latin1'), inDirectory(text, entry)];
      if (!sizes.has(name)) fileSystem.unlinkSync(file);
      else if (Number(fileSystem.statSync(file).size) === sizes.get(name)) sizes.delete(name);
      else throw wrong(`${displayName(file)} has different bytes from those that were written`);
    }
  } catch (error) {
    throw error instanceof GpusortError ? error : systemError('read-failed', 'read failed', displayName(text), error);
  }
  for (const [name] of sizes) throw wrong(`${displayName(inDirectory(text, name))} is gone`);
}
