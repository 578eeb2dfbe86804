/** Makes the job directory of a distributed sort, or finds the one that an earlier client left. */
import { randomBytes } from 'node:crypto';
import { completedJob } from '../input/complete.js';
import { type InputFile, isEmptyFile, positional } from '../input/files.js';
import { openText } from '../input/framed.js';
import { headerToWrite } from '../input/header.js';
import { headersOf, stripHeaders } from '../input/inputs.js';
import { readOptionFiles } from '../input/option-files.js';
import { cutShares } from '../input/shares.js';
import type { FileName, SortJob } from '../job/job.js';
import { exists } from '../output/target.js';
import { atExit } from '../report/cleanup.js';
import { displayName } from '../report/names.js';
import { warn } from '../report/warnings.js';
import { GpusortError, systemError } from '../system/errors.js';
import { constants, fileSystem } from '../system/file-system.js';
import { directoryOf } from '../system/links.js';
import { createDirectory, inDirectory, letOwnerUse, PRIVATE } from '../system/temporary-files.js';
import { closeQuietly } from '../system/transfer.js';
import { ClientLock } from './client-lock.js';
import { absolute, type JobDirectory } from './directory.js';
import { finishedAs } from './finish.js';
import { type ClusterJob, checkVersion, encoded, ownVersion, readJob, writeJob } from './job-file.js';
import { type LocatedOutput, resolvedName } from './locate.js';
import { sameFile } from './share-task.js';
import type { TaskCounts } from './sizes.js';

const ID_BYTES = 4;

export interface Prepared extends LocatedOutput {
  readonly cluster: ClusterJob;
  /** The lock of the job directory, which is held. */
  readonly lock: ClientLock;
}

/**
 * Makes the job directory of `requested`, with about the given numbers of shares and ranges, or finds the one of an
 * earlier client. Throws `usage` if it belongs to another sort.
 */
export async function prepare(
  requested: SortJob,
  inputs: readonly InputFile[],
  counts: TaskCounts,
  located: LocatedOutput,
): Promise<Prepared> {
  const { directory } = located;
  directory.refuseForeign();
  directory.create();
  const lock = await ClientLock.take(directory);
  let isNew = false;
  try {
    isNew = readJob(directory) === null;
    const existing = earlierJob(located, requested, inputs);
    const cluster =
      existing === null
        ? await orNothing(directory, () => makeJob(requested, inputs, counts, located))
        : await continued(existing, requested, directory);
    return { ...located, cluster, lock };
  } catch (error) {
    if (isNew) await directory.remove();
    lock.release();
    throw error;
  }
}

/** Creates something in the directory by `make`. If a signal ends the process meanwhile, the directory is removed. */
async function orNothing<T>(directory: JobDirectory, make: () => Promise<T>): Promise<T> {
  const forget = atExit(() => {
    directory.removeNow();
  });
  try {
    return await make();
  } finally {
    forget();
  }
}

async function makeJob(
  requested: SortJob,
  inputs: readonly InputFile[],
  counts: TaskCounts,
  { directory, target, place }: LocatedOutput,
): Promise<ClusterJob> {
  directory.clear();
  const cut = await cutJob(requested, inputs, counts);
  const id = randomBytes(ID_BYTES).toString('hex');
  const { parts } = requested.cluster!;
  const parent = directoryOf(place);
  // A text beside the output becomes the output by one rename. If its directory is not writable, the output is
  // overwritten instead.
  const text =
    target?.kind === 'file' && !isWritable(parent)
      ? directory.output()
      : inDirectory(parent, `.gpusort-${id}.${parts ? 'parts' : 'sorted'}`);
  const cluster: ClusterJob = {
    ...cut,
    version: ownVersion(),
    id,
    request: requestOf(requested),
    job: { ...cut.job, output: { ...cut.job.output, file: place } },
    inputs: cut.inputs.map(({ name, label, extent, compressed, sequential, headerStripped, renaming, identity }) => ({
      name: absolute(name!),
      ...{ label, extent, compressed, sequential, headerStripped, renaming, identity },
    })),
    text,
  };
  await writeJob(directory, cluster);
  try {
    makeText(cluster, target);
  } catch (error) {
    throw systemError('cannot-write', 'open failed', displayName(text), error);
  }
  return cluster;
}

/**
 * The facts that tasks need about a sort, except its location. Reads only as much as cutting needs, and writes nothing.
 */
export async function cutJob(
  requested: SortJob,
  inputs: readonly InputFile[],
  counts: TaskCounts,
): Promise<Pick<ClusterJob, 'job' | 'shares' | 'ranges' | 'header'> & { readonly inputs: readonly InputFile[] }> {
  const { job, header, stripped } = await resolved(requested, inputs);
  // Inputs of -m that are read by position need no shares. Others are sorted again, which merges them.
  const isMerged = job.mode === 'merge' && stripped.every((input) => isEmptyFile(input) || positional(input) !== null);
  const cut = await cutShares(stripped, job, isMerged ? 1 : counts.shares);
  return { job, inputs: stripped, shares: isMerged ? [] : cut, ranges: counts.ranges, header };
}

/**
 * Removes the job directory of a sort that was finished except for this step. Resolves to whether it was the same sort
 * of the same inputs, so that nothing is left to do.
 */
export async function clearFinished(
  { directory, place }: LocatedOutput,
  requested: SortJob,
  inputs: readonly InputFile[],
): Promise<boolean> {
  if (!fileSystem.existsSync(directory.job())) return false;
  directory.refuseForeign();
  const existing = readJob(directory)!;
  const isOurs = finishedAs(directory, existing, place);
  if (isOurs === null) return false;
  const isSame = (input: InputFile, i: number): boolean =>
    existing.inputs[i]?.name.equals(absolute(input.name!)) === true &&
    (sameFile(input.identity) === sameFile(existing.inputs[i].identity) || absolute(input.name!).equals(place));
  const isDone =
    isOurs &&
    existing.request === requestOf(requested) &&
    inputs.length === existing.inputs.length &&
    inputs.every(isSame);
  await directory.remove();
  return isDone;
}

/** The job that an earlier client left; null: there is none. Throws `usage` if it is a different sort. */
export function earlierJob(
  located: LocatedOutput,
  requested: SortJob,
  inputs: readonly InputFile[],
): ClusterJob | null {
  const existing = readJob(located.directory);
  if (existing === null) return null;
  checkVersion(existing, located.directory, ownVersion());
  checkSame(existing, requested, inputs, located);
  return existing;
}

/** The job of an earlier client, with this client's settings for how tasks work. */
export function withWorkings(existing: ClusterJob, requested: SortJob): ClusterJob {
  const job: SortJob = {
    ...existing.job,
    resources: { ...requested.resources, temporaryDirectories: temporaryOf(requested) },
    cluster: { ...requested.cluster!, tasks: existing.job.cluster!.tasks },
  };
  return { ...existing, job };
}

async function continued(existing: ClusterJob, requested: SortJob, directory: JobDirectory): Promise<ClusterJob> {
  const wanted = requested.cluster!.tasks;
  if (wanted !== null && wanted !== existing.job.cluster!.tasks)
    warn(`--tasks ${wanted} is ignored: ${directory.label} has ${existing.shares.length} shares already`);
  const cluster = withWorkings(existing, requested);
  if (JSON.stringify(encoded(cluster)) !== JSON.stringify(encoded(existing))) await writeJob(directory, cluster);
  return cluster;
}

/** The command by which the user abandons a sort. */
export function givingUp(directory: JobDirectory, { text }: ClusterJob): string {
  return `rm -r ${[directory.path, ...(exists(text) ? [text] : [])].map(displayName).join(' ')}`;
}

/** Makes the empty file or directory that becomes the output. Throws the system's error. */
export function makeText({ text, job }: ClusterJob, target: LocatedOutput['target']): void {
  if (job.cluster!.parts) createDirectory(text, 0o777);
  else {
    const mode = target?.kind === 'new' ? 0o666 : PRIVATE;
    const fd = fileSystem.openSync(text, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, mode);
    letOwnerUse(fd);
    closeQuietly(fd);
  }
}

/** The job's value of -T. Without it, each task uses TMPDIR of its own node. */
const temporaryOf = ({ resources: { temporaryDirectories }, cluster }: SortJob): FileName[] =>
  cluster!.nodeTemporary ? [] : temporaryDirectories.map((name) => name && absolute(name));

/** The job with all values that inputs and files define, and the inputs without their headers. */
async function resolved(
  requested: SortJob,
  inputs: readonly InputFile[],
): Promise<{ job: SortJob; header: Uint8Array; stripped: readonly InputFile[] }> {
  const named = await readOptionFiles(requested);
  const { files, randomSource } = requested.input;
  const job: SortJob = {
    ...requested,
    input: {
      ...requested.input,
      files: files.map((name) => absolute(name!)),
      randomSource: randomSource && absolute(randomSource),
    },
    // A cluster always verifies, so merges leave restoring the form of records to the end.
    output: { ...requested.output, verify: true },
    resources: { ...requested.resources, temporaryDirectories: temporaryOf(requested) },
  };
  const { files: read, headers } = await stripHeaders({ files: inputs, headers: headersOf(job), named });
  // The headers of compressed inputs are read with the data, once for each input.
  for (const input of headers === null ? [] : read)
    if (!input.headerStripped && input.extent !== null && headers?.isUnited(input) === false)
      (await openText(input, headers)).close();
  const header = headerToWrite({ ...job, input: requested.input }, headers)?.() ?? new Uint8Array();
  // Each task reads only some inputs, so tasks cannot unite the headers.
  const stripped = headers === null ? read : read.map((input) => ({ ...input, renaming: headers.renamingOf(input) }));
  return { job: completedJob(job, { named, headers }), header, stripped };
}

/** An existing directory must be for the same sort of the same files. */
function checkSame(
  existing: ClusterJob,
  requested: SortJob,
  inputs: readonly InputFile[],
  { directory, place }: LocatedOutput,
): void {
  const names = (output: FileName, list: readonly { readonly name: FileName }[]): string =>
    [output, ...list.map(({ name }) => name)].map((name) => resolvedName(name!)).join('\0');
  const remove = givingUp(directory, existing);
  if (
    names(existing.job.output.file, existing.inputs) !== names(place, inputs) ||
    existing.request !== requestOf(requested)
  )
    throw new GpusortError('usage', `${directory.label} belongs to another sort, which is not finished`, {
      hint:
        `Finish it by the command that began it, give it up (${remove}), or name another directory ` +
        'with --work-dir.',
    });
  for (const [i, { label, identity }] of inputs.entries())
    if (sameFile(identity) !== sameFile(existing.inputs[i].identity))
      throw new GpusortError('input-changed', `${label} has changed since the sort in ${directory.label} began`, {
        hint: `Give up that sort (${remove}) and run this command again.`,
      });
}

/** The settings that decide the output, as text: the job without those that affect only tasks or the terminal. */
function requestOf(job: SortJob): string {
  const { ordering, mode, cluster } = job;
  const { framing, genomics, decompress, recognizes, header, combined, contigs, randomSource } = job.input;
  const { compression, count, limit } = job.output;
  const decisive = {
    ...{ ordering, mode, framing, genomics, decompress, recognizes, header, combined, compression, count, limit },
    contigs: contigs instanceof Uint8Array ? resolvedName(contigs) : contigs,
    randomSource: randomSource && resolvedName(randomSource),
    parts: cluster?.parts,
  };
  return JSON.stringify(encoded(decisive));
}

function isWritable(directory: Buffer): boolean {
  try {
    fileSystem.accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
