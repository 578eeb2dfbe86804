/**
 * The job directory: the names of its files, and files that appear whole or not at all. A file is written under a
 * temporary name, synced, and renamed. So any number of tasks may write the same file: they write the same bytes.
 */
import { hostname } from 'node:os';
import { constants, fileSystem } from '../file-system.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { inDirectory } from '../temporary-files.js';
import { closeQuietly, readFilling, writeFully } from '../transfer.js';

/** The kinds of tasks, by the first part of their names. */
export type TaskKind = 'share' | 'range' | 'place';

export const taskName = (kind: TaskKind, number: number): string => `${kind}-${numberName(number)}`;
const numberName = (number: number): string => String(number).padStart(4, '0');

const TEMPORARY = /\.tmp$/;

export class JobDirectory {
  readonly path: Buffer;

  constructor(path: Buffer) {
    this.path = path;
  }

  /** The path for messages. */
  get label(): string {
    return displayName(this.path);
  }

  file(...names: string[]): Buffer {
    return inDirectory(this.path, names.join('/'));
  }

  job(): Buffer {
    return this.file('job.json');
  }
  splitters(): Buffer {
    return this.file('splitters.json');
  }
  places(): Buffer {
    return this.file('places.json');
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

  /** Makes the directory with its folders. Existing ones stay. */
  create(): void {
    for (const folder of ['', 'shares', 'ranges', 'parts', 'placed', 'errors', 'log']) {
      const path = folder === '' ? this.path : this.file(folder);
      try {
        fileSystem.mkdirSync(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
          throw systemError('cannot-write', 'cannot create directory', displayName(path), error, WRITABLE);
      }
    }
  }

  /** Whether the marker of a task is there. */
  isDone(kind: TaskKind, number: number): boolean {
    const marker = { share: this.index(number), range: this.range(number), place: this.placed(number) }[kind];
    return fileSystem.existsSync(marker);
  }

  /** The numbers whose marker is in `folder`, by one read of the directory. */
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

  /** Removes temporary files. No task may be running. */
  removeTemporary(): void {
    for (const folder of ['shares', 'ranges', 'parts', 'placed', 'errors', ''])
      for (const name of folder === '' ? this.list('.') : this.list(folder))
        if (TEMPORARY.test(name)) removeQuietly(folder === '' ? this.file(name) : this.file(folder, name));
  }

  /** Removes the directory and all that is in it, runs first: in memory, files take 0.3 s for each 5 GB. */
  async remove(): Promise<void> {
    await Promise.all(this.list('shares').map((name) => fileSystem.unlink(this.file('shares', name)).catch(() => {})));
    fileSystem.removeTree(this.path);
  }

  private list(folder: string): string[] {
    try {
      return fileSystem.readdirSync(this.file(folder)).map(String);
    } catch (error) {
      throw systemError('read-failed', 'cannot read directory', displayName(this.file(folder)), error);
    }
  }
}

const WRITABLE = 'Name a directory that you may write and that all nodes see, with --work-dir.';

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

/** Creates a file that becomes `name`. Throws `cannot-write`. */
export async function createFile(name: Buffer): Promise<NewFile> {
  const temporary = Buffer.from(`${name.toString('latin1')}.${hostname()}-${process.pid}.tmp`, 'latin1');
  let fd: number;
  try {
    fd = await fileSystem.open(temporary, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o666);
  } catch (error) {
    throw systemError('cannot-write', 'open failed', displayName(temporary), error);
  }
  let isOpen = true;
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
      } catch (error) {
        throw systemError('write-failed', 'write failed', displayName(name), error);
      }
    },
    abort: () => {
      if (isOpen) closeQuietly(fd);
      removeQuietly(temporary);
    },
  };
}

/** Makes `bytes` the whole contents of `name`. */
export async function writeWhole(name: Buffer, bytes: readonly Uint8Array[]): Promise<void> {
  const file = await createFile(name);
  try {
    await writeFully(file.fd, bytes, 0).catch((error: unknown) => {
      throw systemError('write-failed', 'write failed', displayName(name), error);
    });
    await file.finish();
  } catch (error) {
    file.abort();
    throw error;
  }
}

export const writeJson = (name: Buffer, value: unknown): Promise<void> =>
  writeWhole(name, [Buffer.from(`${JSON.stringify(value, null, 1)}\n`)]);

/** The contents of a file as JSON; null if there is no such file. */
export function readJson(name: Buffer): unknown {
  let text: Buffer;
  try {
    text = fileSystem.readFileSync(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw systemError('read-failed', 'read failed', displayName(name), error);
  }
  try {
    return JSON.parse(text.toString());
  } catch {
    throw new GpusortError('read-failed', `${displayName(name)} is damaged`, {
      hint: 'Remove the job directory and start again.',
    });
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
