/**
 * Named temporary files. They are created here, and removed by a later run if the process that made them was killed. A
 * name identifies that process by the boot (a random number, so it also identifies the host), the PID namespace, the
 * PID and the start time. Knows nothing of contents.
 */
import { constants, fileSystem, isOnLocalSystem } from './file-system.js';
import { isSeparator, isWindows } from './platform.js';

/** A temporary file, open for reading and writing. */
export interface TemporaryFile {
  readonly fd: number;
  readonly name: Buffer;
}

/** The unique identity of a process: its number alone may later belong to another process. */
export interface Maker {
  readonly boot: string;
  readonly namespace: string;
  readonly pid: string;
  readonly start: string;
}

/** The mode of complete sorted text that must keep its temporary name: read-only marks it as not abandoned. */
export const SORTED_MODE = 0o400;
const OWNER_WRITES = 0o200n;

const PREFIX = '.gpusort-';
const NAME = /^\.gpusort-([0-9a-f]{12})-([0-9]+)-([0-9]+)-([0-9]+)-[0-9a-z]+$/;
/** Name collisions after which createTemporary gives up. */
const TRIES = 100;
/** Directory entries to examine: enough for /tmp, few enough for a directory with a million files. */
const MOST_ENTRIES = 4096;
function randomWord(): string {
  return Math.random().toString(36).slice(2, 10).padEnd(8, '0');
}

/** A new name for a temporary file. Open the file with O_EXCL, because the name may be taken. */
export function temporaryName(): string {
  const maker = currentMaker();
  return maker === null
    ? `${PREFIX}${randomWord()}`
    : `${PREFIX}${maker.boot}-${maker.namespace}-${maker.pid}-${maker.start}-${randomWord()}`;
}

/** A name for sorted text that stays until the user takes it: no later run removes it. */
export function sortedName(): string {
  return `gpusort-sorted-${randomWord()}`;
}

/** The mode of a file that only its owner may use. */
export const PRIVATE = 0o600;

/** Creates an empty file in `directory` under a new name. Throws the system's error. */
export function createTemporary(directory: Buffer, mode = PRIVATE): TemporaryFile {
  for (let tries = 1; ; tries++) {
    const name = inDirectory(directory, temporaryName());
    try {
      const fd = fileSystem.openSync(name, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, mode);
      if (mode === PRIVATE) letOwnerUse(fd);
      return { fd, name };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === TRIES) throw error;
    }
  }
}

/**
 * Lets the owner of a new file read and write it, whatever the umask. If the system refuses, using the file will fail.
 */
export function letOwnerUse(fd: number): void {
  try {
    const mode = Number(fileSystem.fstatSync(fd).mode & 0o777n);
    if ((mode & PRIVATE) !== PRIVATE) fileSystem.fchmodSync(fd, mode | PRIVATE);
  } catch {
    /* the next call that needs the permission fails */
  }
}

/** Creates a directory that its owner may use, whatever the umask. Throws the system's error. */
export function createDirectory(path: Buffer, mode: number): void {
  fileSystem.mkdirSync(path, mode);
  const given = Number(fileSystem.lstatSync(path).mode & 0o777n);
  if ((given & 0o700) !== 0o700) fileSystem.chmodSync(path, given | 0o700);
}

/** The path of `name` in `directory`. */
export function inDirectory(directory: Buffer, name: string | Buffer): Buffer {
  const last = directory.at(-1);
  // `C:` is the current directory of a drive.
  const isComplete = isSeparator(last) || (isWindows() && last === ':'.charCodeAt(0));
  const separator = isComplete ? '' : isWindows() ? '\\' : '/';
  return Buffer.concat([directory, Buffer.from(separator), Buffer.from(name as Buffer)]);
}

/**
 * Removes this user's temporary files in `directory` if their makers are certainly dead: processes of this boot and PID
 * namespace that have ended and, on a local file system, processes of an earlier boot. Examines a few thousand entries
 * at most. Never fails.
 */
export async function removeAbandoned(directory: Buffer): Promise<void> {
  const now = currentMaker();
  if (now === null) return;
  try {
    const entries = await fileSystem.opendir(directory);
    let looked = 0;
    for await (const entry of entries) {
      if (++looked > MOST_ENTRIES) break;
      const found = NAME.exec(entry.name);
      if (found === null) continue;
      const [, boot, namespace, pid, start] = found as unknown as [string, string, string, string, string];
      const name = inDirectory(directory, entry.name);
      if (isDead({ boot, namespace, pid, start }, now, directory) && isOurs(name)) fileSystem.unlinkSync(name);
    }
  } catch {
    /* a later run may remove the others */
  }
}

/** Whether a process that left its name in a file has certainly ended. */
export function hasEnded(maker: Maker, file: Buffer): boolean {
  const now = currentMaker();
  return now !== null && isDead(maker, now, file);
}

/** Whether a process of this host has this number. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** `place`: a path on the file system where the process left its name. */
function isDead(maker: Maker, now: Maker, place: Buffer): boolean {
  // Elsewhere, the process of another boot may still run on another host.
  if (maker.boot !== now.boot) return isOnLocalSystem(place);
  if (maker.namespace !== now.namespace) return false;
  if (!isRunning(Number(maker.pid))) return true;
  // The PID is in use, perhaps by a later process.
  const start = startOf(maker.pid);
  return start !== null && start !== maker.start;
}

/** Whether the file is this user's, and is not sorted text that must be kept. */
function isOurs(name: Buffer): boolean {
  const stat = fileSystem.lstatSync(name);
  return stat.isFile() && (stat.mode & OWNER_WRITES) !== 0n && Number(stat.uid) === process.geteuid?.();
}

let maker: Maker | null | undefined;

/** This process; null if the system has no /proc or its /proc shows another PID namespace. */
export function currentMaker(): Maker | null {
  if (maker !== undefined) return maker;
  try {
    const boot = fileSystem.readFileSync('/proc/sys/kernel/random/boot_id').toString().replaceAll('-', '').slice(0, 12);
    const namespace = /\d+/.exec(fileSystem.readlinkSync('/proc/self/ns/pid').toString())![0];
    const pid = /^\d+/.exec(fileSystem.readFileSync('/proc/self/stat').toString('latin1'))![0];
    const start = startOf(pid);
    maker = Number(pid) === process.pid && start !== null ? { boot, namespace, pid, start } : null;
  } catch {
    maker = null;
  }
  return maker;
}

/**
 * When a process started, in clock ticks since the boot: field 22 of /proc/PID/stat, the 20th after
 * the parenthesized name.
 */
function startOf(pid: string): string | null {
  try {
    const stat = fileSystem.readFileSync(`/proc/${pid}/stat`).toString('latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** The remedy for a failed call on a temporary file, if there is one. `needed`: bytes for which there was no room. */
export function temporaryRemedy(error: unknown, needed = 0): { readonly hint?: string } {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        hint:
          'Name a directory with more space with -T' +
          (needed === 0 ? '.' : `: at least ${needed} more bytes were needed.`),
      };
    case 'EFBIG':
      return { hint: 'Raise the limit on file sizes (ulimit -f).' };
    case 'EMFILE':
      return { hint: 'Raise the limit on open files (ulimit -n).' };
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return { hint: 'Name a writable directory with -T.' };
    default:
      return {};
  }
}
