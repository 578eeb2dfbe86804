/** Resolves symbolic links, and recognizes names of open descriptors. */
import { constants, fileSystem } from './file-system.js';
import { isLinux } from './platform.js';
import { paths } from './platform-defaults.js';
import { inDirectory } from './temporary-files.js';
import { closeQuietly } from './transfer.js';

/** Maximum number of successive symbolic links, as in Linux. */
const MOST_LINKS = 40;
/** Directories whose entries stand for open descriptors: links in /proc on Linux, devices in /dev/fd elsewhere. */
const DESCRIPTORS = /^\/proc\/(?:self|thread-self|[0-9]+)(?:\/task\/[0-9]+)?\/fd$/;
const DESCRIPTOR = /^\/dev\/fd\/[0-9]+$/;

/** The file that a name leads to. */
interface LinkTarget {
  readonly path: Buffer;
  /** The name of the open descriptor that stands for the file, such as `/proc/123/fd/4`, or null. */
  readonly descriptor: string | null;
}

/**
 * Follows symbolic links at the end of `name`, even to a path without a file. Directories stay as they are named: the
 * user may lack search permission above the current directory. Throws the system's error.
 */
export function followLinks(name: Buffer): LinkTarget {
  let path = name;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const link = linkOf(path);
    const text = path.toString('latin1');
    const directory = directoryOf(path);
    const descriptors = descriptorDirectory(directory);
    if (descriptors !== null) return { path, descriptor: `${descriptors}/${paths().basename(text)}` };
    if (link === null) return { path, descriptor: DESCRIPTOR.test(text) ? text : null };
    path = paths().isAbsolute(link.toString('latin1')) ? link : inDirectory(directory, link);
  }
  throw systemFailure('ELOOP');
}

/** The real path of a directory of open descriptors; null for other directories. */
function descriptorDirectory(directory: Buffer): string | null {
  try {
    const path = fileSystem.realpathSync(directory).toString('latin1');
    return DESCRIPTORS.test(path) ? path : null;
  } catch {
    return null; // not searchable, so not in /proc
  }
}

/** The target of a symbolic link; null if `name` is not one. */
function linkOf(name: Buffer): Buffer | null {
  try {
    return fileSystem.readlinkSync(name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EINVAL' || code === 'ENOENT') return null;
    throw error;
  }
}

/** Whether two results of stat are of the same file. */
export function isSameFile(a: { dev: bigint; ino: bigint }, b: { dev: bigint; ino: bigint }): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** The directory part of a path. */
export function directoryOf(path: Buffer): Buffer {
  return Buffer.from(paths().dirname(path.toString('latin1')), 'latin1');
}

/** The last part of a path. */
export function basenameOf(path: Buffer): Buffer {
  return Buffer.from(paths().basename(path.toString('latin1')), 'latin1');
}

/** An error like those of the system. */
export function systemFailure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/**
 * A directory that stays open. Its files can be reached by a short name, however long the path of the directory is, and
 * even after it was renamed or hidden by a mount. On systems without Linux's /proc, the name is its path.
 */
export interface HeldDirectory {
  /** Leads to the directory until it is closed. */
  readonly path: Buffer;
  close(): void;
}

/**
 * Linux's O_PATH, which Node does not name: gives access to the files in the directory without permission to read it.
 */
const O_PATH = 0o10000000;

export function holdDirectory(path: Buffer): HeldDirectory {
  let fd = -1;
  try {
    if (isLinux()) fd = fileSystem.openSync(path, O_PATH | constants.O_DIRECTORY);
  } catch {
    /* the operation in the directory will fail for the same reason, or does not need this */
  }
  const held = Buffer.from(`/proc/self/fd/${fd}`);
  const close = (): void => {
    if (fd >= 0) closeQuietly(fd);
    fd = -1;
  };
  if (fd >= 0 && fileSystem.existsSync(held)) return { path: held, close };
  close();
  return { path, close };
}
