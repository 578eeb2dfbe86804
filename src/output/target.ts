/**
 * FILE of -o: opened and examined before anything is read, so that what cannot be written is refused then, and what is written in the end is
 * what was opened. Nothing is truncated or made here.
 */
import { posix } from 'node:path';
import { constants, fileSystem } from '../file-system.js';
import { systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { inDirectory } from '../temporary-files.js';

interface Named {
  /** As the user gave it, and as messages show it. */
  readonly name: Buffer;
  readonly label: string;
}

interface Open extends Named {
  /** For writing. */
  readonly fd: number;
  /** Closes the descriptor, if that has not been done. Rejects with the system's error. */
  close(): Promise<void>;
}

/** A pipe, a terminal or a device. */
export interface StreamTarget extends Open { readonly kind: 'stream' }

/** A regular file. */
export interface FileTarget extends Open {
  readonly kind: 'file';
  /** Its name once symbolic links are followed; null if it was reached by a link to a descriptor, such as /dev/stdout. */
  readonly path: Buffer | null;
}

/** No file yet: `path` is where it will be, once symbolic links are followed. */
export interface NewTarget extends Named { readonly kind: 'new'; readonly path: Buffer }

export type Target = StreamTarget | FileTarget | NewTarget;

/** As many symbolic links in a row as Linux follows. */
const MOST_LINKS = 40;
/** Directories whose links stand for open descriptors. */
const DESCRIPTORS = /^\/proc\/(?:self|thread-self|[0-9]+)(?:\/task\/[0-9]+)?\/fd$/;
const SLASH = '/'.charCodeAt(0);

/**
 * Opens FILE without truncating it. A FIFO is waited for, without holding up the event loop, until it has a reader. Throws `cannot-write` in
 * GNU sort's words.
 */
export async function openTarget(name: Buffer): Promise<Target> {
  const label = displayName(name);
  try {
    const fd = await openExisting(name);
    if (fd === null) return { kind: 'new', name, label, path: newPath(name) };
    let isOpen = true;
    const close = async (): Promise<void> => {
      if (!isOpen) return;
      isOpen = false;
      await fileSystem.close(fd);
    };
    const open = { name, label, fd, close };
    try {
      if (!fileSystem.fstatSync(fd).isFile()) return { kind: 'stream', ...open };
      const { path, descriptor } = followLinks(name);
      return { kind: 'file', ...open, path: descriptor ? null : path };
    } catch (error) {
      fileSystem.closeSync(fd);
      throw error;
    }
  } catch (error) {
    throw systemError('cannot-write', 'open failed', label, error);
  }
}

/**
 * Whether the target's name still leads to what was opened, or, for a new one, to the same place without a file. Throws the system's error if
 * it cannot say.
 */
export function leadsToTarget(target: FileTarget | NewTarget): boolean {
  if (target.kind === 'new') return newPath(target.name).equals(target.path) && !exists(target.path);
  try {
    return isSameFile(fileSystem.statSync(target.name), fileSystem.fstatSync(target.fd));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

export function isSameFile(a: { dev: bigint; ino: bigint }, b: { dev: bigint; ino: bigint }): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** Whether there is anything by that name, a symbolic link included. */
export function exists(name: Buffer): boolean {
  try {
    fileSystem.lstatSync(name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** A descriptor; null if there is no such file. */
async function openExisting(name: Buffer): Promise<number | null> {
  try {
    return await fileSystem.open(name, constants.O_WRONLY);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || (code === 'ENOTDIR' && name.at(-1) === SLASH)) return null;
    throw error;
  }
}

/**
 * Where opening `name` leads: symbolic links at its end are followed, also to where there is no file yet. Directories stay as they are named:
 * one above the current directory may not be searched by this user.
 */
function followLinks(name: Buffer): { readonly path: Buffer; /** A link to a descriptor was followed. */ readonly descriptor: boolean } {
  let path = name;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const link = linkOf(path);
    if (link === null) return { path, descriptor: false };
    const directory = directoryOf(path);
    if (isDescriptors(directory)) return { path, descriptor: true };
    path = link[0] === SLASH ? link : inDirectory(directory, link);
  }
  throw systemFailure('ELOOP');
}

/** Where a file made by opening `name` would be. */
function newPath(name: Buffer): Buffer {
  if (name.length === 0) throw systemFailure('ENOENT');
  const path = name.at(-1) === SLASH ? name : followLinks(name).path;
  // As the system says of a name that can only be a directory's.
  if (path.at(-1) === SLASH) throw systemFailure('EISDIR');
  return path;
}

function isDescriptors(directory: Buffer): boolean {
  try {
    return DESCRIPTORS.test(fileSystem.realpathSync(directory).toString('latin1'));
  } catch {
    return false; // not to be searched, so none of /proc
  }
}

/** An error as the system would give. */
function systemFailure(code: string): Error { return Object.assign(new Error(code), { code }); }

/** What a symbolic link says; null if `name` is none. */
function linkOf(name: Buffer): Buffer | null {
  try {
    return fileSystem.readlinkSync(name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EINVAL' || code === 'ENOENT') return null;
    throw error;
  }
}

/** The directory that a path leads to a file in. */
export function directoryOf(path: Buffer): Buffer { return Buffer.from(posix.dirname(path.toString('latin1')), 'latin1'); }
