/**
 * Opens and examines FILE of -o before anything is read. So an output that cannot be written is refused at once, and
 * the file written at the end is the one that was opened. Nothing is truncated or created here.
 */
import { displayName } from '../report/names.js';
import { GpusortError, systemError } from '../system/errors.js';
import { constants, fileSystem } from '../system/file-system.js';
import { directoryOf, followLinks, isSameFile, systemFailure } from '../system/links.js';
import { isSeparator } from '../system/platform.js';
import { paths } from '../system/platform-defaults.js';

interface NamedTarget {
  /** The name as the user gave it, and as messages show it. */
  readonly name: Buffer;
  readonly label: string;
}

interface OpenTarget extends NamedTarget {
  /** Open for writing. */
  readonly fd: number;
  /** Closes the descriptor if it is still open. Rejects with the system's error. */
  close(): Promise<void>;
}

/** A pipe, a terminal or a device. */
interface StreamTarget extends OpenTarget {
  readonly kind: 'stream';
}

/** A regular file. */
export interface FileTarget extends OpenTarget {
  readonly kind: 'file';
  /** Its name after following symbolic links; null if a link to a descriptor, such as /dev/stdout, led to it. */
  readonly path: Buffer | null;
}

/** There is no file yet. `path`: where it will be, after following symbolic links. */
export interface NewTarget extends NamedTarget {
  readonly kind: 'new';
  readonly path: Buffer;
}

export type Target = StreamTarget | FileTarget | NewTarget;

/**
 * Opens FILE without truncating it. For a FIFO, waits for a reader without blocking the event loop. Throws
 * `cannot-write` with the wording of GNU sort.
 */
export async function openTarget(name: Buffer): Promise<Target> {
  const label = displayName(name);
  try {
    const fd = await openExisting(name);
    if (fd === null) return newTarget(name);
    return examined(name, fd);
  } catch (error) {
    throw systemError('cannot-write', 'open failed', label, error);
  }
}

/**
 * Opens a regular file by a synchronous call. Null, with nothing opened, if the name belongs to anything else: the
 * reader of a pipe would notice that it is closed again. Throws the system's error.
 */
export function openFileAtOnce(name: Buffer): FileTarget | null {
  if (!fileSystem.statSync(name).isFile()) return null;
  const target = examined(name, fileSystem.openSync(name, constants.O_WRONLY | constants.O_NONBLOCK));
  if (target.kind === 'file') return target;
  fileSystem.closeSync(target.fd);
  return null;
}

/** Examines `fd`, which was opened by `name`. Closes it and throws the system's error if that fails. */
function examined(name: Buffer, fd: number): StreamTarget | FileTarget {
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await fileSystem.close(fd);
  };
  const open = { name, label: displayName(name), fd, close };
  try {
    if (!fileSystem.fstatSync(fd).isFile()) return { kind: 'stream', ...open };
    const { path, descriptor } = followLinks(name);
    return { kind: 'file', ...open, path: descriptor === null ? path : null };
  } catch (error) {
    fileSystem.closeSync(fd);
    throw error;
  }
}

/** A name without a file. Throws the system's error if the file could not be created for its name alone. */
export function newTarget(name: Buffer): NewTarget {
  return { kind: 'new', name, label: displayName(name), path: newPath(name) };
}

/**
 * Where a target's name now leads. `target`: to the opened file or, for a new target, to the same path, still without a
 * file. `other`: to another file. `none`: to no file. `elsewhere`: for a new target, to another path without a file.
 */
export type NamedNow = 'target' | 'other' | 'none' | 'elsewhere';

/** Looks where the target's name leads. Throws the system's error if this cannot be determined. */
export function placeOf(target: FileTarget | NewTarget): NamedNow {
  if (target.kind === 'new') {
    const path = newPath(target.name);
    if (exists(path)) return 'other';
    return path.equals(target.path) ? 'target' : 'elsewhere';
  }
  try {
    return isSameFile(fileSystem.statSync(target.name), fileSystem.fstatSync(target.fd)) ? 'target' : 'other';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return 'none';
    throw error;
  }
}

/** Whether the name exists, even as a dangling symbolic link. */
export function exists(name: Buffer): boolean {
  try {
    fileSystem.lstatSync(name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Opens a file for writing and returns its descriptor; null if there is no such file. */
async function openExisting(name: Buffer): Promise<number | null> {
  try {
    return await fileSystem.open(name, constants.O_WRONLY);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || (code === 'ENOTDIR' && isSeparator(name.at(-1)))) return null;
    throw error;
  }
}

/** The path of the file that opening `name` would create. */
function newPath(name: Buffer): Buffer {
  if (name.length === 0) throw systemFailure('ENOENT');
  const path = isSeparator(name.at(-1)) ? name : followLinks(name).path;
  // The system's error for a name that can only be a directory.
  if (isSeparator(path.at(-1))) throw systemFailure('EISDIR');
  return path;
}

/** A new file, or an open descriptor. */
type OutputTarget = Pick<NewTarget, 'kind' | 'path' | 'label'> | { readonly fd: number; readonly label: string };

/** The outputs of a job that are open so far. */
export class OpenOutputs {
  private readonly labels = new Map<string, string>();

  /** Adds an output. Throws `cannot-write` if it is the same file or pipe as an earlier one. */
  add(output: OutputTarget): void {
    const identity = identityOf(output);
    if (identity === null) return;
    const other = this.labels.get(identity);
    if (other !== undefined)
      throw new GpusortError('cannot-write', `${other} and ${output.label} are the same output`, {
        hint: 'Give each output a file of its own.',
      });
    this.labels.set(identity, output.label);
  }
}

/** null: a device, such as /dev/null or a terminal, which several outputs may share; or the system cannot say. */
function identityOf(output: OutputTarget): string | null {
  try {
    if (!('fd' in output)) {
      const directory = fileSystem.realpathSync(directoryOf(output.path)).toString('latin1');
      return paths().join(directory, paths().basename(output.path.toString('latin1')));
    }
    const stat = fileSystem.fstatSync(output.fd);
    return stat.isCharacterDevice() ? null : `${stat.dev}:${stat.ino}`;
  } catch {
    return null;
  }
}
