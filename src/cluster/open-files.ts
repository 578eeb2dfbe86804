/** Files that many reads use; at most a fixed number of them are open at once. */
import { setTimeout as delay } from 'node:timers/promises';
import { displayName } from '../report/names.js';
import { systemError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { mostOpenInputs } from '../system/limits.js';
import { closeQuietly } from '../system/transfer.js';

/**
 * Errors of a network file system that does not show a new file yet, how long opening is retried, and at what interval.
 */
const UNSEEN: readonly string[] = ['ENOENT', 'ESTALE'];
const UNSEEN_MS = 2000;
const RETRY_MS = 100;

interface OpenFileUse {
  readonly fd: Promise<number>;
  users: number;
}

export class OpenFiles {
  private readonly most: number;
  /** By name; least recently used first. */
  private readonly files = new Map<string, OpenFileUse>();

  /** `most`: by default, half of the files that may be open. */
  constructor(most = Math.ceil(mostOpenInputs() / 2)) {
    this.most = Math.max(1, most);
  }

  /** Calls `work` with a descriptor that reads `name`. */
  async with<T>(name: Buffer, work: (fd: number) => Promise<T>): Promise<T> {
    const key = name.toString('latin1');
    const open = this.files.get(key) ?? { fd: opened(name), users: 0 };
    open.fd.catch(() => this.files.delete(key));
    this.files.delete(key);
    this.files.set(key, open);
    open.users++;
    try {
      return await work(await open.fd);
    } finally {
      open.users--;
      this.closeSome();
    }
  }

  close(): void {
    for (const { fd } of this.files.values()) void fd.then(closeQuietly, () => {});
    this.files.clear();
  }

  private closeSome(): void {
    for (const [key, { fd, users }] of this.files) {
      if (this.files.size <= this.most) return;
      if (users > 0) continue;
      this.files.delete(key);
      void fd.then(closeQuietly, () => {});
    }
  }
}

/** Opens a file of the job directory. A network file system may not show it at once. */
async function opened(name: Buffer): Promise<number> {
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      return await fileSystem.open(name, 'r');
    } catch (error) {
      if (waited >= UNSEEN_MS || !UNSEEN.includes((error as NodeJS.ErrnoException).code ?? ''))
        throw systemError('read-failed', 'open failed', displayName(name), error);
    }
    await delay(RETRY_MS);
  }
}
