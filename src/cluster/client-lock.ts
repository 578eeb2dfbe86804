/**
 * Lets one client at a time work with a job directory. A lock of another process of this host is taken over once that
 * process has ended. Whether a process of another host has ended is unknown.
 */
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { atExit } from '../report/cleanup.js';
import { displayName } from '../report/names.js';
import { GpusortError, systemError } from '../system/errors.js';
import { constants, fileSystem } from '../system/file-system.js';
import { currentMaker, hasEnded, isRunning, letOwnerUse, type Maker } from '../system/temporary-files.js';
import { closeQuietly } from '../system/transfer.js';
import { type JobDirectory, removeQuietly } from './directory.js';

interface LockHolder {
  readonly host: string;
  readonly pid: number;
  /** Distinguishes processes with the same number; null if the system does not report it. */
  readonly maker: Maker | null;
}

/** The time that another client may take to write its lock. */
const WRITING_MS = 2000;
const PAUSE_MS = 50;

export class ClientLock {
  private readonly name: Buffer;
  private readonly forget: () => void;

  private constructor(name: Buffer) {
    this.name = name;
    this.forget = atExit(() => {
      removeQuietly(name);
    });
  }

  /** Throws `usage` if another client is using the directory. */
  static async take(directory: JobDirectory): Promise<ClientLock> {
    const name = directory.file('client.json');
    for (let waited = 0; ; ) {
      if (create(name)) return new ClientLock(name);
      const text = contents(name);
      const other = text === null ? null : parsed(text);
      if (other === null && waited < WRITING_MS) {
        await delay(PAUSE_MS);
        waited += PAUSE_MS;
      } else if (other !== null && !isDead(other, directory)) throw inUse(other, name, directory);
      else removeStale(name, text ?? '');
    }
  }

  release(): void {
    this.forget();
    removeQuietly(this.name);
  }
}

/** Returns false if there is a lock. */
function create(name: Buffer): boolean {
  let fd: number;
  try {
    fd = fileSystem.openSync(name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw systemError('cannot-write', 'open failed', displayName(name), error);
  }
  letOwnerUse(fd);
  const own: LockHolder = { host: hostname(), pid: process.pid, maker: currentMaker() };
  try {
    fileSystem.writeSync(fd, Buffer.from(`${JSON.stringify(own)}\n`));
  } catch (error) {
    removeQuietly(name);
    throw systemError('cannot-write', 'write failed', displayName(name), error);
  } finally {
    closeQuietly(fd);
  }
  return true;
}

/** Null if the lock no longer exists. */
function contents(name: Buffer): string | null {
  try {
    return fileSystem.readFileSync(name).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw systemError('cannot-read', 'open failed', displayName(name), error);
  }
}

/** Null if the lock is not completely written yet, or is damaged. */
function parsed(text: string): LockHolder | null {
  try {
    return JSON.parse(text) as LockHolder;
  } catch {
    return null;
  }
}

function isDead({ host, pid, maker }: LockHolder, directory: JobDirectory): boolean {
  if (host !== hostname()) return false;
  return maker === null ? !isRunning(pid) : hasEnded(maker, directory.path);
}

/** Removes the lock with contents `text`, unless another client has just taken it over. */
function removeStale(name: Buffer, text: string): void {
  const aside = Buffer.concat([name, Buffer.from(`.${hostname()}-${process.pid}.tmp`, 'latin1')]);
  try {
    fileSystem.renameSync(name, aside);
    if (contents(aside) === text) removeQuietly(aside);
    else fileSystem.renameSync(aside, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw systemError('cannot-write', 'rename failed', displayName(name), error);
  }
}

function inUse({ host, pid }: LockHolder, name: Buffer, directory: JobDirectory): GpusortError {
  return new GpusortError('usage', `another gpusort (process ${pid} on ${host}) is using ${directory.label}`, {
    hint: `Wait for it, or end it. If it is gone: rm ${displayName(name)}`,
  });
}
