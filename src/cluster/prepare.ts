/** Makes the job directory of a distributed sort, or finds the one that an earlier client left. */
import { randomBytes } from 'node:crypto';
import { constants, fileSystem } from '../file-system.js';
import { withListedContigs } from '../input/contig-list.js';
import type { InputFile } from '../input/files.js';
import { openText } from '../input/framed.js';
import { withSeed } from '../input/random-source.js';
import { cutShares } from '../input/shares.js';
import type { FileName, SortJob } from '../job.js';
import { PRIVATE } from '../output/sorted-text.js';
import { directoryOf, openTarget } from '../output/target.js';
import { writtenHeader } from '../records/written-header.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { headersOf, stripHeaders, withNumbers } from '../sort.js';
import { inDirectory } from '../temporary-files.js';
import { closeQuietly } from '../transfer.js';
import { JobDirectory } from './directory.js';
import type { Target } from './finish.js';
import { type ClusterJob, checkVersion, encoded, readJob, writeJob } from './job-file.js';
import { sameFile } from './share-task.js';
import type { TaskCounts } from './sizes.js';
import { ownVersion } from './version.js';

const ID_BYTES = 4;

export interface Prepared {
  readonly directory: JobDirectory;
  readonly cluster: ClusterJob;
  /** The output, open; null: a directory of parts. */
  readonly target: Target | null;
}

/** Where a sort is distributed. */
interface Located {
  /** The output with symbolic links followed, absolute. */
  readonly output: Buffer;
  readonly target: Target | null;
  readonly directory: JobDirectory;
  /** The job that the directory holds; null: there is none. */
  readonly existing: ClusterJob | null;
}

/** Finds the job directory of `requested`. Writes nothing. Throws `usage` if it belongs to another sort. */
export async function locate(requested: SortJob, inputs: readonly InputFile[]): Promise<Located> {
  const named = absolute(requested.output!);
  const request = requested.cluster!;
  const target = request.parts ? null : await openRegular(named);
  if (target === null) checkParts(named);
  const output = target === null || target.kind === 'stream' || target.path === null ? named : target.path;
  const directory = new JobDirectory(
    inDirectory(absolute(request.workDirectory ?? directoryOf(output)), directoryName(output)),
  );
  const existing = readJob(directory);
  if (existing !== null) {
    checkVersion(existing, directory, ownVersion());
    checkSame(existing, requested, inputs, directory);
  }
  return { output, target, directory, existing };
}

/** What tasks need to know of a sort, but for where it is. Reads what cutting needs. */
export async function cutJob(
  requested: SortJob,
  inputs: readonly InputFile[],
  counts: TaskCounts,
): Promise<Pick<ClusterJob, 'job' | 'shares' | 'ranges' | 'header'> & { readonly inputs: readonly InputFile[] }> {
  const { job, header, stripped } = await resolved(requested, inputs);
  return {
    job,
    inputs: stripped,
    shares: await cutShares(stripped, job, counts.shares),
    ranges: counts.ranges,
    header,
  };
}

/**
 * The job directory of `requested`, with about so many shares and ranges unless it exists already. Throws `usage` if it
 * belongs to another sort.
 */
export async function prepare(requested: SortJob, inputs: readonly InputFile[], counts: TaskCounts): Promise<Prepared> {
  const { output, target, directory, existing } = await locate(requested, inputs);
  if (existing !== null) return { directory, cluster: existing, target };
  const cut = await cutJob(requested, inputs, counts);
  const id = randomBytes(ID_BYTES).toString('hex');
  const parts = requested.cluster!.parts;
  directory.create();
  const text = inDirectory(directoryOf(output), `.gpusort-${id}.${parts ? 'parts' : 'sorted'}`);
  makeText(text, parts, target?.kind === 'new' ? 0o666 : PRIVATE);
  const cluster: ClusterJob = {
    ...cut,
    version: ownVersion(),
    id,
    job: { ...cut.job, output },
    inputs: cut.inputs.map(({ name, label, extent, compressed, headerStripped, identity }) => ({
      name: absolute(name!),
      ...{ label, extent, compressed, headerStripped, identity },
    })),
    text,
  };
  await writeJob(directory, cluster);
  return { directory, cluster, target };
}

/** The job with all that inputs and files define, and the inputs without their headers. */
async function resolved(
  requested: SortJob,
  inputs: readonly InputFile[],
): Promise<{ job: SortJob; header: Uint8Array; stripped: readonly InputFile[] }> {
  const drawn = await withListedContigs(await withSeed(requested));
  const absoluteNames = {
    inputs: drawn.inputs.map((name) => absolute(name!)),
    temporaryDirectories: drawn.temporaryDirectories.map((name) => name && absolute(name)),
  };
  // The cluster always checks, and keys and lines stay apart until the end.
  const job: SortJob = { ...drawn, ...absoluteNames, verify: true };
  const headers = headersOf(job);
  const stripped = await stripHeaders(inputs, headers);
  // The headers of compressed inputs are read with the data, once for each input.
  for (const input of headers === null ? [] : stripped)
    if (!input.headerStripped && input.extent !== null) (await openText(input, headers)).close();
  const header = headers === null ? new Uint8Array() : writtenHeader(job, headers.text, headers.bam);
  return { job: withNumbers(job, headers), header, stripped };
}

/** An existing directory must be for the same sort of the same files. */
function checkSame(
  existing: ClusterJob,
  requested: SortJob,
  inputs: readonly InputFile[],
  directory: JobDirectory,
): void {
  const names = (list: readonly { readonly name: FileName }[]): string =>
    list.map(({ name }) => absolute(name!).toString('latin1')).join('\0');
  const hint = `Remove it (rm -r ${directory.label}) or name another directory with --work-dir.`;
  if (names(existing.inputs) !== names(inputs) || requestOf(existing.job) !== requestOf(requested))
    throw new GpusortError('usage', `${directory.label} belongs to another sort, which has not been finished`, {
      hint,
    });
  for (const [i, { label, identity }] of inputs.entries())
    if (sameFile(identity) !== sameFile(existing.inputs[i].identity))
      throw new GpusortError('input-changed', `${label} has changed since the sort in ${directory.label} began`, {
        hint: `Start again: rm -r ${directory.label}`,
      });
}

/** What decides the output, without what only tasks or terminals see, and what headers and seeds have defined. */
function requestOf(job: SortJob): string {
  const { ordering, mode, framing, genomics, decompress, outputForm, count, header, limit, cluster, contigs } = job;
  const key =
    'parts' in ordering.key
      ? {
          ...ordering.key,
          seed: null,
          parts: ordering.key.parts.map(({ contigs: _, name, span, ...part }) => ({
            ...part,
            span: name === undefined ? span : name,
          })),
        }
      : ordering.key;
  const decisive = {
    mode,
    framing,
    genomics,
    decompress,
    outputForm,
    count,
    header,
    limit,
    contigs,
    parts: cluster?.parts,
  };
  return JSON.stringify(encoded({ ...decisive, ordering: { ...ordering, key, outputDelimiter: null } }));
}

/** The output must be a file that can be written at any place. */
async function openRegular(output: Buffer): Promise<Target> {
  const target = await openTarget(output);
  if (target.kind !== 'stream') return target;
  await target.close();
  throw new GpusortError('usage', `--cluster cannot write ${target.label}: it is not a regular file`, {
    hint: 'Name a file with -o.',
  });
}

/** The directory of parts must not exist, or be empty. */
function checkParts(output: Buffer): void {
  try {
    if (fileSystem.readdirSync(output).length === 0) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw systemError('cannot-write', 'open failed', displayName(output), error);
  }
  throw new GpusortError('usage', `${displayName(output)} is not empty`, {
    hint: 'With --output-parts, -o names a directory that does not exist yet, or an empty one.',
  });
}

function makeText(text: Buffer, isDirectory: boolean, mode: number): void {
  try {
    if (isDirectory) fileSystem.mkdirSync(text);
    else closeQuietly(fileSystem.openSync(text, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, mode));
  } catch (error) {
    throw systemError('cannot-write', 'open failed', displayName(text), error);
  }
}

function directoryName(output: Buffer): Buffer {
  const slash = output.lastIndexOf('/');
  return Buffer.concat([Buffer.from('gpusort-'), output.subarray(slash + 1), Buffer.from('.job')]);
}

function absolute(name: Buffer): Buffer {
  return name[0] === '/'.charCodeAt(0) ? name : inDirectory(fileSystem.realpathSync('.'), name);
}
