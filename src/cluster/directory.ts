/**
 * The job directory: the names of its files, and files that appear complete or not at all. A file is written under a
 * temporary name, synced, and renamed. So any number of tasks may write the same file: they write the same bytes.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { exists } from '../output/target.js';
import { atExit } from '../report/cleanup.js';
import { displayName } from '../report/names.js';
import { GpusortError, systemError } from '../system/errors.js';
import { constants, fileSystem } from '../system/file-system.js';
import { inParallel, quiet } from '../system/promises.js';
import { createDirectory, inDirectory, letOwnerUse } from '../system/temporary-files.js';
import { closeQuietly, readFilling, writeFully } from '../system/transfer.js';

/** The kinds of tasks, by the first part of their names. */
export type TaskKind = 'share' | 'range' | 'place';

export const taskName = (kind: TaskKind, number: number): string => `${kind}-${numberName(number)}`;
const numberName = (number: number): string => String(number).padStart(4, '0');

const FOLDERS = ['shares', 'ranges', 'parts', 'placed', 'errors', 'log'] as const;
/** Network file systems answer slowly. */
const REMOVED_AT_ONCE = 16;
const TEMPORARY = /\.tmp$/;
/** All names in a job directory, except suffixes of temporary files. */
const NAMES = new RegExp(
  '^(?:(?:job|client|splitters|places|finished)\\.json|shares/\\d+\\.(?:run|index)|ranges/\\d+\\.(?:json|edges)|' +
    'parts/\\d+|placed/\\d+\\.json|errors/[a-z]+(?:-\\d+)?\\.json|log/[a-z]+-\\d+|output)(?:\\.[^/]*\\.tmp)?$',
);

export class JobDirectory {
  readonly path: Buffer;
  /** Whether this process has removed it. */
  isRemoved = false;

  constructor(path: Buffer) {
    this.path = path;
  }

  /** The path for messages. */
  get label(): string {
    return displayName(this.path);
  }

  file(...names: string[]): Buffer {
    return inDirectory(this.path, Buffer.from(names.join('/'), 'latin1'));
  }

  job(): Buffer {
    return this.file('job.json');
  }
  splitters(): Buffer {
    return this.file('splitters.json');
  }
  /** Written before the output is put in place. */
  finished(): Buffer {
    return this.file('finished.json');
  }
  places(): Buffer {
    return this.file('places.json');
  }
  /** The text of the output, if it cannot be beside the output. */
  output(): Buffer {
    return this.file('output');
  }
  run(share: number): Buffer {
    return this.file('shares', `${numberName(share)}.run`);
  }
  index(share: number): Buffer {
    return this.file('shares', `${numberName(share)}.index`);
  }
  range(range: number): Buffer {
    return this.file('ranges', `${numberName(range)}.json`);
  }
  edges(range: number): Buffer {
    return this.file('ranges', `${numberName(range)}.edges`);
  }
  part(range: number): Buffer {
    return this.file('parts', numberName(range));
  }
  placed(range: number): Buffer {
    return this.file('placed', `${numberName(range)}.json`);
  }
  error(task: string): Buffer {
    return this.file('errors', `${task}.json`);
  }

  /** Makes the directory with its folders. Existing ones stay. Returns whether the directory was not there. */
  create(): boolean {
    const isNew = makeDirectory(this.path, PRIVATE);
    for (const folder of FOLDERS) makeDirectory(this.file(folder));
    return isNew;
  }

  /** Throws `usage` if something with this name exists that no client has made. */
  refuseForeign(): void {
    this.refuseOthers();
    const foreign = this.foreignEntry();
    if (foreign === null) return;
    throw new GpusortError('usage', `${this.label} exists and is not a job directory: it has ${displayName(foreign)}`, {
      hint: 'Name another directory with --work-dir, or move this one away.',
    });
  }

  /**
   * Throws `usage` if the directory is another user's, because the files that its job file names are written and
   * removed.
   */
  refuseOthers(): void {
    if (!isDirectory(this.path) || Number(fileSystem.lstatSync(this.path).uid) === process.geteuid?.()) return;
    throw new GpusortError('usage', `${this.label} belongs to another user`, {
      hint: 'Name another directory with --work-dir.',
    });
  }

  /** Removes the remains of a job whose job file is gone, except the lock of a client. */
  clear(): void {
    for (const folder of FOLDERS) for (const name of this.list(folder)) removeQuietly(this.file(folder, name));
    for (const name of this.list('.'))
      if (!(FOLDERS as readonly string[]).includes(name) && name !== 'client.json') removeQuietly(this.file(name));
  }

  /** Whether the done file of a task exists. */
  isDone(kind: TaskKind, number: number): boolean {
    const doneFile = { share: this.index(number), range: this.range(number), place: this.placed(number) }[kind];
    return fileSystem.existsSync(doneFile);
  }

  /** The numbers whose done file is in `folder`, by one read of the directory. */
  numbers(folder: 'shares' | 'ranges' | 'placed'): Set<number> {
    const suffix = folder === 'shares' ? '.index' : '.json';
    const names = this.list(folder).filter((name) => name.endsWith(suffix));
    return new Set(names.map((name) => Number(name.slice(0, -suffix.length))));
  }

  /** The tasks that left an error. */
  failedTasks(): string[] {
    return this.list('errors')
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length));
  }

  /**
   * Removes the temporary files of killed tasks: those with the given numbers, or all. These tasks must not be running.
   */
  removeTemporary(kind: TaskKind, numbers: ReadonlySet<number> | null = null): void {
    const folders = { share: ['shares'], range: ['ranges', 'parts'], place: ['placed', 'ranges'] };
    for (const folder of folders[kind])
      for (const name of this.list(folder))
        if (TEMPORARY.test(name) && (numbers?.has(Number.parseInt(name, 10)) ?? true))
          removeQuietly(this.file(folder, name));
  }

  /** Removes the results of a task, which must then run again. */
  forget(kind: TaskKind, number: number): void {
    const files = {
      // The done file first: without it, nothing else counts.
      share: [this.index(number), this.run(number)],
      range: [this.range(number), this.edges(number), this.part(number), this.placed(number)],
      place: [this.placed(number)],
    };
    for (const name of files[kind]) removeQuietly(name);
  }

  /** Removes the directory and all that is in it, several files at once: in memory, 5 GB take 0.3 s. */
  async remove(): Promise<void> {
    this.isRemoved = true;
    // Without the job file, the remains of an interrupted removal are not a job.
    removeQuietly(this.job());
    for (const folder of FOLDERS)
      await inParallel(this.list(folder), REMOVED_AT_ONCE, (name) => quiet(fileSystem.unlink(this.file(folder, name))));
    fileSystem.removeTree(this.path);
  }

  /**
   * Removes it by synchronous calls, at the end of the process. A thread of Node's pool may be creating a file in it at
   * the same time, which makes the first try fail.
   */
  removeNow(): void {
    try {
      fileSystem.removeTree(this.path);
    } catch {
      fileSystem.removeTree(this.path);
    }
  }

  /** The path of an entry that does not belong to a job directory; null: there is none. */
  private foreignEntry(): Buffer | null {
    if (!isDirectory(this.path)) return exists(this.path) ? this.path : null;
    for (const name of this.list('.')) {
      const isFolder = (FOLDERS as readonly string[]).includes(name) && isDirectory(this.file(name));
      if (!isFolder && !NAMES.test(name)) return this.file(name);
      const inner = isFolder ? this.list(name).find((entry) => !NAMES.test(`${name}/${entry}`)) : undefined;
      if (inner !== undefined) return this.file(name, inner);
    }
    return null;
  }

  private list(folder: string): string[] {
    try {
      return fileSystem.readdirSync(this.file(folder)).map((name) => name.toString('latin1'));
    } catch (error) {
      throw systemError('read-failed', 'cannot read directory', displayName(this.file(folder)), error);
    }
  }
}

/** The mode of the job directory: nobody else may read it, because inputs may be private to this user. */
const PRIVATE = 0o700;

/** Returns false if it is there already. */
function makeDirectory(path: Buffer, mode = 0o777): boolean {
  try {
    createDirectory(path, mode);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw systemError('cannot-write', 'cannot create directory', displayName(path), error, WRITABLE);
  }
}

function isDirectory(path: Buffer): boolean {
  try {
    return fileSystem.lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

const WRITABLE = 'Name a directory that you may write and that all nodes see, with --work-dir.';

/** The absolute path of `name`, for other processes and other hosts. An empty name stays empty. */
export function absolute(name: Buffer): Buffer {
  return name.length === 0 || name[0] === '/'.charCodeAt(0) ? name : inDirectory(fileSystem.realpathSync('.'), name);
}

export function removeQuietly(name: Buffer): void {
  try {
    fileSystem.unlinkSync(name);
  } catch {
    /* it is gone, or is removed with the directory */
  }
}

/** The file of a range in a directory of parts. */
export const partName = (range: number): string => `part-${String(range).padStart(5, '0')}`;

/** A file under its temporary name. */
export interface NewFile {
  readonly fd: number;
  /** Its temporary name. */
  readonly name: Buffer;
  /** Truncates the file to `bytes`, if given, syncs it and gives it its name. */
  finish(bytes?: number): Promise<void>;
  /** Removes it. */
  abort(): void;
}

/** Creates a file that becomes `name`. A signal removes it. Throws `cannot-write`. */
export async function createFile(name: Buffer): Promise<NewFile> {
  const maker = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const temporary = Buffer.from(`${name.toString('latin1')}.${maker}.tmp`, 'latin1');
  let fd: number;
  try {
    fd = await fileSystem.open(temporary, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o666);
  } catch (error) {
    throw systemError('cannot-write', 'open failed', displayName(temporary), error);
  }
  letOwnerUse(fd);
  let isOpen = true;
  const forget = atExit(() => {
    removeQuietly(temporary);
  });
  return {
    fd,
    name: temporary,
    finish: async (bytes) => {
      try {
        if (bytes !== undefined) await fileSystem.ftruncate(fd, bytes);
        await fileSystem.fsync(fd);
        isOpen = false;
        // Network file systems report failed writes here.
        await fileSystem.close(fd);
        fileSystem.renameSync(temporary, name);
        forget();
      } catch (error) {
        throw writeFailed(name, error);
      }
    },
    abort: () => {
      if (isOpen) closeQuietly(fd);
      isOpen = false;
      removeQuietly(temporary);
      forget();
    },
  };
}

function writeFailed(name: Buffer, error: unknown): GpusortError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
  return systemError(
    'write-failed',
    'write failed',
    displayName(name),
    error,
    isFull ? 'Free space there.' : undefined,
  );
}

/** Makes `bytes` the whole contents of `name`. */
export async function writeWhole(name: Buffer, bytes: readonly Uint8Array[]): Promise<void> {
  const file = await createFile(name);
  try {
    await writeFully(file.fd, bytes, 0).catch((error: unknown) => {
      throw writeFailed(name, error);
    });
    await file.finish();
  } catch (error) {
    file.abort();
    throw error;
  }
}

/** Fills `target` from byte `position` of a file of the job directory. Throws `read-failed` if it ends before. */
export async function readPart(fd: number, target: Uint8Array, position: number, label: string): Promise<void> {
  const count = await readFilling(fd, target, position).catch((error: unknown) => {
    throw systemError('read-failed', 'read failed', label, error);
  });
  if (count < target.length)
    throw new GpusortError('read-failed', `read failed: ${label}: it ends at byte ${position + count}, before its end`);
}
