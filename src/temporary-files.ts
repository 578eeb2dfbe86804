/**
 * Temporary files with names: made here, and removed by a later run if the one that made them was killed. A name says which process made it:
 * the boot (a random number, so it identifies the host too), the PID namespace, the PID and the time the process started. Knows no contents.
 */
import { constants, fileSystem } from './file-system.js';

/** A temporary file, open for reading and writing. */
export interface TemporaryFile { readonly fd: number; readonly name: Buffer }

interface Maker { readonly boot: string; readonly namespace: string; readonly pid: string; readonly start: string }

/** Sorted text that could not be given a name of its own is read-only: so it is known not to be abandoned. */
export const SORTED_MODE = 0o400;
const OWNER_WRITES = 0o200n;

const PREFIX = '.gpusort-';
const NAME = /^\.gpusort-([0-9a-f]{12})-([0-9]+)-([0-9]+)-([0-9]+)-[0-9a-z]+$/;
/** Names tried before someone else's file is believed to stand in the way. */
const TRIES = 100;
/** Entries of a directory that are looked at: enough for /tmp, few enough for a directory with a million files. */
const MOST_ENTRIES = 4096;
/**
 * File systems that one kernel mounts at a time (statfs(2)): tmpfs, ext2 to ext4, xfs, btrfs, f2fs, overlayfs. Elsewhere a process of another
 * boot may be one of another host that still runs.
 */
const LOCAL_FILE_SYSTEMS: readonly number[] = [0x01021994, 0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x794c7630];

/** A short random word for a file name. */
function randomWord(): string {
  return Math.random().toString(36).slice(2, 10).padEnd(8, '0');
}

/** A new name for a temporary file. It may be taken: open it with O_EXCL. */
export function temporaryName(): string {
  const maker = currentMaker();
  return maker === null ? `${PREFIX}${randomWord()}` : `${PREFIX}${maker.boot}-${maker.namespace}-${maker.pid}-${maker.start}-${randomWord()}`;
}

/** A name for sorted text that is to stay until its user has it: no later run removes it. */
export function sortedName(): string {
  return `gpusort-sorted-${randomWord()}`;
}

/** Makes an empty file in `directory` that nobody had before. Throws the system's error. */
export function createTemporary(directory: Buffer, mode = 0o600): TemporaryFile {
  for (let tries = 1; ; tries++) {
    const name = inDirectory(directory, temporaryName());
    try {
      return { fd: fileSystem.openSync(name, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, mode), name };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === TRIES) throw error;
    }
  }
}

/** The path of `name` in `directory`. */
export function inDirectory(directory: Buffer, name: string | Buffer): Buffer {
  const separator = directory.at(-1) === '/'.charCodeAt(0) ? '' : '/';
  return Buffer.concat([directory, Buffer.from(separator), Buffer.from(name as Buffer)]);
}

/**
 * Removes this user's temporary files in `directory` whose makers are certainly dead: processes of this boot and PID namespace that are gone, and
 * processes of an earlier boot if the file system is local. Never fails; looks at no more than some thousand entries.
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
  } catch { /* what cannot be listed or removed stays: another run may remove it */ }
}

function isDead(maker: Maker, now: Maker, directory: Buffer): boolean {
  if (maker.boot !== now.boot) return LOCAL_FILE_SYSTEMS.includes(fileSystem.statfsSync(directory));
  if (maker.namespace !== now.namespace) return false;
  try {
    process.kill(Number(maker.pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  // The PID lives; a later process may have it.
  const start = startOf(maker.pid);
  return start !== null && start !== maker.start;
}

/** Whether it is this user's, and not sorted text that is kept. */
function isOurs(name: Buffer): boolean {
  const stat = fileSystem.lstatSync(name);
  return stat.isFile() && (stat.mode & OWNER_WRITES) !== 0n && Number(stat.uid) === process.geteuid?.();
}

let maker: Maker | null | undefined;

/** This process; null if the system has no /proc, or one of another PID namespace. */
function currentMaker(): Maker | null {
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

/** When a process started, in clock ticks since the boot: field 22 of its stat, the 20th after its name in parentheses. */
function startOf(pid: string): string | null {
  try {
    const stat = fileSystem.readFileSync(`/proc/${pid}/stat`).toString('latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
