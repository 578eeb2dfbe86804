/** Lets one client at a time work with a job directory. */
import { hostname } from 'node:os';
import { constants, fileSystem } from '../file-system.js';
import { atExit } from '../report/cleanup.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { type JobDirectory, readJson, removeQuietly } from './directory.js';

interface Client {
  readonly host: string;
  readonly pid: number;
}

export class ClientLock {
  private readonly name: Buffer;
  private readonly forget: () => void;

  private constructor(name: Buffer) {
    this.name = name;
    this.forget = atExit(() => {
      removeQuietly(name);
    });
  }

  /** Throws `usage` if another client works with the directory. The lock of a dead process of this host is taken over. */
  static take(directory: JobDirectory): ClientLock {
    const name = directory.file('client.json');
    for (;;) {
      try {
        const fd = fileSystem.openSync(name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
        fileSystem.closeSync(fd);
        fileSystem.writeFileSync(name, JSON.stringify({ host: hostname(), pid: process.pid } satisfies Client));
        return new ClientLock(name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
          throw systemError('cannot-write', 'open failed', displayName(name), error);
      }
      const other = readJson(name) as Client | null;
      if (other === null) continue;
      if (other.host !== hostname() || isAlive(other.pid))
        throw new GpusortError(
          'usage',
          `another gpusort (process ${other.pid} on ${other.host}) works with ${directory.label}`,
          { hint: `Wait for it. If it is gone: rm ${displayName(name)}` },
        );
      removeQuietly(name);
    }
  }

  release(): void {
    this.forget();
    removeQuietly(this.name);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
