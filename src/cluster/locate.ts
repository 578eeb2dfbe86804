/** Where a distributed sort has its output and its job directory. */
import { crc32 } from '../crc32.js';
import { fileSystem } from '../file-system.js';
import type { SortJob } from '../job.js';
import { directoryOf, exists, type FileTarget, type NewTarget, openTarget } from '../output/target.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { inDirectory } from '../temporary-files.js';
import { absolute, JobDirectory } from './directory.js';
import { readJob } from './job-file.js';

/** Where a sort has its output and its job directory. */
export interface Located {
  /** The output, open; null: a directory of parts. */
  readonly target: FileTarget | NewTarget | null;
  /** The path of the output after following symbolic links. */
  readonly place: Buffer;
  readonly directory: JobDirectory;
}

/** Opens the output and names the job directory. Null if the output is no regular file. */
export async function locate({ output, cluster: request }: SortJob): Promise<Located | null> {
  const name = absolute(output!);
  const target = request!.parts ? null : await openRegular(name);
  if (target === 'stream') return null;
  const place = target === null ? name : target.path!;
  const parent = request!.workDirectory ?? directoryOf(place);
  const directory = new JobDirectory(inDirectory(absolute(parent), directoryName(place)));
  if (target === null && !hasParts(place, directory)) checkParts(name);
  return { target, place, directory };
}

/** Whether a client that was killed has put the parts of this job in place, and only the job directory is left. */
export function hasParts(place: Buffer, directory: JobDirectory): boolean {
  const job = readJob(directory);
  const isPlaced = job !== null && job.job.cluster!.parts && !exists(job.text);
  return isPlaced && job.job.output!.equals(place) && exists(inDirectory(place, 'manifest.json'));
}

/** The error for an output to which tasks cannot write at any place. */
export function notRegular({ output }: SortJob): GpusortError {
  return new GpusortError('usage', `--cluster cannot write ${displayName(output)}: it is not a regular file`, {
    hint: 'Name a file with -o.',
  });
}

/** Opens the output, if it is a file that can be written at any place. Does not wait for the reader of a FIFO. */
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
