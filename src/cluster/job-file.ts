/** job.json: all facts that a task needs, as JSON. Bytes are written as base64. */
import type { InputFile } from '../input/files.js';
import type { SharePart } from '../input/shares.js';
import { limitsLate, type SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { displayName } from '../report/names.js';
import { GpusortError, systemError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { readInstalled } from '../system/installed.js';
import { closeQuietly, readFilling } from '../system/transfer.js';
import { crc32 } from '../system/zlib.js';
import { type JobDirectory, writeWhole } from './directory.js';

/** The part of an input that tasks need. */
type StoredInput = Pick<
  InputFile,
  'label' | 'extent' | 'compressed' | 'sequential' | 'headerStripped' | 'renaming' | 'identity'
> & {
  /** Absolute. */
  readonly name: Buffer;
};

/** A sort that is distributed. */
export interface ClusterJob {
  /** The version of gpusort; tasks of another one are refused. */
  readonly version: string;
  /** Distinguishes this job from others of the user. */
  readonly id: string;
  /** The part of the request that decides the output; equal for equal commands. */
  readonly request: string;
  /** The job with absolute names, and with the values read from headers, lists and the random source. */
  readonly job: SortJob;
  readonly inputs: readonly StoredInput[];
  readonly shares: readonly (readonly SharePart[])[];
  /** The requested number of ranges. */
  readonly ranges: number;
  /** The text before all records of the output, in the form of records. */
  readonly header: Uint8Array;
  /** The file that becomes the output; with --output-parts, the directory. */
  readonly text: Buffer;
}

/** How ranges become the output. */
export type Joining =
  /** Tasks write their ranges at their places in one file. The places are known in advance. */
  | 'in place'
  /** Each range is a file of the output. */
  | 'parts'
  /** Each range is a file that is copied to its place once all sizes are known. */
  | 'copied';

export function joiningOf({ cluster, ordering, input: { framing }, output }: SortJob): Joining {
  const { limit, compression } = output;
  if (cluster?.parts) return 'parts';
  const isKnown =
    !ordering.unique && !limitsLate(output) && limit === null && compression === null && framing?.kind !== 'bam';
  return isKnown ? 'in place' : 'copied';
}

/** Whether the inputs of -m are merged as they are: then there are no shares (sorted-input.ts). */
export const mergesInputs = ({ job, shares }: Pick<ClusterJob, 'job' | 'shares'>): boolean =>
  job.mode === 'merge' && shares.length === 0;

/** Whether records with equal keys must come together in one range. */
export const keepsKeysWhole = ({ ordering, output }: SortJob): boolean => ordering.unique || limitsLate(output);

/** Whether shares are whole segments, which stay in the order of the input. */
export const isInOrder = ({ segments }: Ordering): boolean => segments !== undefined;

/** Whether the output has all records of the input. */
export const hasAll = ({ ordering, output }: SortJob): boolean =>
  !ordering.unique && (output.limit === null || limitsLate(output));

export function writeJob(directory: JobDirectory, job: ClusterJob): Promise<void> {
  return writeJson(directory.job(), encoded(job));
}

/** The job of a directory; null if it has none. */
export function readJob(directory: JobDirectory): ClusterJob | null {
  const stored = readJson(directory.job());
  return stored === null ? null : (decoded(stored) as ClusterJob);
}

/** Throws `usage` if the directory no longer belongs to the job: it was removed, and another sort has made it again. */
export function refuseStale(directory: JobDirectory, { id }: Pick<ClusterJob, 'id'>): void {
  if (readJob(directory)?.id !== id)
    throw new GpusortError('usage', `${directory.label} now belongs to another sort`, {
      hint: 'This task is no longer needed.',
    });
}

/** Throws `usage` if the job was made by another version. */
export function checkVersion({ version }: ClusterJob, directory: JobDirectory, own: string): void {
  if (version !== own)
    throw new GpusortError('usage', `${directory.label} was made by gpusort ${version}, and this is gpusort ${own}`, {
      hint: 'Use the same version on all nodes, or remove the directory and start again.',
    });
}

/** `value` with bytes as objects that JSON can hold. */
export function encoded(value: unknown): unknown {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(encoded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, encoded(field)]));
}

/** The inverse of `encoded`. */
export function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== 'object' || value === null) return value;
  const { base64 } = value as { base64?: unknown };
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, decoded(field)]));
}

/** The error for a file of the job directory that has changed since it was written. */
export class DamagedFile extends GpusortError {
  constructor(name: Buffer, hint: string) {
    super('read-failed', `${displayName(name)} is damaged`, { hint });
  }
}

/** Writes `value` as JSON with a checksum: a changed job file would give wrong output. */
export function writeJson(name: Buffer, value: unknown): Promise<void> {
  const json = JSON.stringify(value, null, 1);
  return writeWhole(name, [Buffer.from(`${opening(json)}${json}}\n`)]);
}

const opening = (json: string): string =>
  `{"crc32":"${crc32(Buffer.from(json)).toString(16).padStart(8, '0')}","value":`;
const OPENING_BYTES = opening('').length;
const CLOSING = '}\n';

/** The value that `writeJson` has written to a file; null if there is no such file. Throws DamagedFile. */
export function readJson(name: Buffer): unknown {
  let bytes: Buffer;
  try {
    bytes = fileSystem.readFileSync(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw systemError('read-failed', 'read failed', displayName(name), error);
  }
  return parseJson(name, bytes);
}

/** The contents of a file, for reads of many files at once; null if there is no such file. */
export async function readJobFile(name: Buffer): Promise<Buffer | null> {
  let fd = -1;
  try {
    fd = await fileSystem.open(name, 'r');
    const bytes = Buffer.allocUnsafe(Number(fileSystem.fstatSync(fd).size));
    return bytes.subarray(0, await readFilling(fd, bytes, 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw systemError('read-failed', 'read failed', displayName(name), error);
  } finally {
    if (fd >= 0) closeQuietly(fd);
  }
}

/** The value that `writeJson` has written as `bytes` to the file `name`. Throws DamagedFile. */
export function parseJson(name: Buffer, bytes: Buffer): unknown {
  const text = bytes.toString();
  const json = text.slice(OPENING_BYTES, -CLOSING.length);
  if (text !== `${opening(json)}${json}${CLOSING}`)
    throw new DamagedFile(name, `Remove it (rm ${displayName(name)}) and run the same command again.`);
  return JSON.parse(json);
}

/** The version of this gpusort. All tasks of a job must have the same one. */
export function ownVersion(): string {
  return (JSON.parse(readInstalled('package.json').toString()) as { version: string }).version;
}
