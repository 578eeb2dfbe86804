/** Where a distributed sort has its output and its job directory. */

import type { SortJob } from '../job/job.js';
import { type FileTarget, type NewTarget, openTarget } from '../output/target.js';
import { displayName } from '../report/names.js';
import { GpusortError, systemError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { directoryOf } from '../system/links.js';
import { inDirectory } from '../system/temporary-files.js';
import { crc32 } from '../system/zlib.js';
import { absolute, JobDirectory } from './directory.js';

/** Where a sort has its output and its job directory. */
export interface LocatedOutput {
  /** The output, open; null: a directory of parts. */
  readonly target: FileTarget | NewTarget | null;
  /** The path of the output after following symbolic links. */
  readonly place: Buffer;
  readonly directory: JobDirectory;
}

/** Opens the output and names the job directory. Null if the output is no regular file. */
export async function locate({ output: { file }, cluster: request }: SortJob): Promise<LocatedOutput | null> {
  const name = request!.parts ? withoutSlashes(absolute(file!)) : absolute(file!);
  const target = request!.parts ? null : await openRegular(name);
  if (target === 'stream') return null;
  const place = target === null ? name : target.path!;
  const parent = request!.workDirectory ?? directoryOf(place);
  if (target === null && isInside(absolute(parent), place))
    throw new GpusortError('usage', `--work-dir ${displayName(parent)} lies in the output`, {
      hint: 'Name a directory outside of it.',
    });
  const directory = new JobDirectory(inDirectory(absolute(parent), directoryName(place)));
  // The directory may hold the parts of a finished sort whose client was killed.
  if (target === null && !fileSystem.existsSync(directory.finished())) checkParts(place);
  return { target, place, directory };
}

/** The error for an output in which tasks cannot write at arbitrary offsets. */
export function notRegular({ output: { file } }: SortJob): GpusortError {
  return new GpusortError('usage', `--cluster cannot write ${displayName(file)}: it is not a regular file`, {
    hint: 'Name a file with -o.',
  });
}

/**
 * Opens the output, if it is a file that can be written at arbitrary offsets. Does not wait for the reader of a FIFO.
 */
async function openRegular(output: Buffer): Promise<FileTarget | NewTarget | 'stream'> {
  if (isStream(output)) return 'stream';
  const target = await openTarget(output);
  if (target.kind === 'new' || (target.kind === 'file' && target.path !== null)) return target as FileTarget;
  await target.close();
  return 'stream';
}

function isStream(output: Buffer): boolean {
  try {
    const stat = fileSystem.statSync(output);
    return !stat.isFile() && !stat.isDirectory();
  } catch {
    return false; // opening it shows why
  }
}

/** Checks that the directory of parts does not exist, or is empty. */
export function checkParts(output: Buffer): void {
  try {
    if (fileSystem.readdirSync(output).length === 0 && !fileSystem.lstatSync(output).isSymbolicLink()) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw systemError('cannot-write', 'open failed', displayName(output), error);
  }
  throw new GpusortError('usage', `${displayName(output)} is not empty`, {
    hint: 'With --output-parts, -o names a directory that does not exist yet, or an empty one.',
  });
}

/** A name that is the same however the directory is spelled, with one character per byte. */
export function resolvedName(name: Buffer): string {
  const path = absolute(name);
  try {
    const base = path.subarray(path.lastIndexOf('/') + 1);
    return inDirectory(fileSystem.realpathSync(directoryOf(path)), base).toString('latin1');
  } catch {
    return path.toString('latin1');
  }
}

/** Whether `path` is `directory` or lies in it, judged by their names. */
const isInside = (path: Buffer, directory: Buffer): boolean =>
  `${resolvedName(path)}/`.startsWith(`${resolvedName(directory)}/`);

function withoutSlashes(name: Buffer): Buffer {
  let end = name.length;
  while (end > 1 && name[end - 1] === '/'.charCodeAt(0)) end--;
  return name.subarray(0, end);
}

/** Names have at most 255 bytes. */
const MOST_NAME_BYTES = 240;

function directoryName(output: Buffer): Buffer {
  const name = output.subarray(output.lastIndexOf('/') + 1);
  const short =
    name.length <= MOST_NAME_BYTES
      ? name
      : Buffer.concat([name.subarray(0, MOST_NAME_BYTES - 9), Buffer.from(`-${crc32(name).toString(16)}`)]);
  return Buffer.concat([Buffer.from('gpusort-'), short, Buffer.from('.job')]);
}
