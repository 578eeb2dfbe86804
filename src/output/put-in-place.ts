/**
 * Makes complete sorted text the contents of FILE. For a new FILE, link() gives the temporary file its name, which
 * replaces nothing. For an existing FILE, the temporary file is renamed onto it if that changes only the contents.
 * Otherwise its contents are copied into FILE through the descriptor opened at the start. On failure the text is kept,
 * and the message says where. docs/reliability.md lists the promises.
 */

import { type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { atExit } from '../report/cleanup.js';
import { warn } from '../report/warnings.js';
import { GpusortError, sentence, systemError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { directoryOf, isSameFile } from '../system/links.js';
import { isLinux, isWindows } from '../system/platform.js';
import { quiet } from '../system/promises.js';
import { closeQuietly, copyFileBytes } from '../system/transfer.js';
import type { SortedText } from './sorted-text.js';
import { type FileTarget, type NamedNow, type NewTarget, placeOf } from './target.js';
import type { Destination } from './writers.js';

/** Rename errors that mean: refused for this file or directory, as in sticky directories and for bind mounts. */
const RENAME_REFUSED: readonly string[] = ['EPERM', 'EACCES', 'EBUSY', 'EXDEV'];
/**
 * Link errors that mean: the file system has no hard links. FAT on Windows gives EISDIR, which link(2) does not list.
 */
const NO_LINKS: readonly string[] = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EISDIR'];

/**
 * Makes `text`, complete with `bytes` bytes, the contents of the target. `carried`: the temporary file has all
 * attributes of an existing target. `sync`: FILE and its directory are on disk afterwards. Throws `write-failed`; the
 * message says what FILE holds.
 */
export async function putInPlace(
  target: FileTarget | NewTarget,
  text: SortedText,
  bytes: number,
  { carried, sync }: { readonly carried: boolean; readonly sync: boolean },
): Promise<void> {
  checkName(target, text);
  if (target.kind === 'new') giveName(target, text);
  else if (!carried || !replace(target, text)) {
    await overwrite(target, text, bytes, sync);
    return;
  }
  if (sync) await syncDirectory(directoryOf(target.path!), target.label);
}

/** Throws `write-failed` if the target's name now leads elsewhere; `text` is then kept. */
export function checkName(target: FileTarget | NewTarget, text: SortedText): void {
  let place: NamedNow;
  try {
    place = placeOf(target);
  } catch (error) {
    throw failed(target.label, error, text.keep());
  }
  if (place !== 'target') throw nameMoved(target.label, place, text);
}

/** Whether this user may replace an existing FILE that has no other name. The caller checks its attributes. */
export function isReplaceable({ fd, path }: FileTarget): boolean {
  if (path === null) return false;
  const stat = fileSystem.fstatSync(fd);
  const user = process.geteuid?.();
  return stat.nlink === 1n && (user === 0 || user === Number(stat.uid)) && isSameFile(fileSystem.lstatSync(path), stat);
}

/** Makes complete `text` a new file. Throws `write-failed`; the message says where the text is. */
export function giveName({ path, label }: NewTarget, text: SortedText): void {
  try {
    fileSystem.linkSync(text.name, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw nameMoved(label, 'other', text);
    if (!NO_LINKS.includes(codeOf(error))) throw failed(label, error, text.keep());
    rename(text, path, label);
    return;
  }
  text.remove();
}

/**
 * Renames complete `text`, which has all attributes of FILE, onto FILE. Returns false, with nothing done, if FILE must
 * be written in place. Throws `write-failed`; the message says where the text is.
 */
export function replace(target: FileTarget, text: SortedText): boolean {
  const { path, label } = target;
  try {
    if (!isReplaceable(target)) return false;
  } catch {
    return false; // in doubt, write in place
  }
  return rename(text, path!, label, target);
}

/** Returns false if an existing `target` must be written in place. */
function rename(text: SortedText, path: Buffer, label: string, target: FileTarget | null = null): boolean {
  try {
    fileSystem.renameSync(text.name, path);
  } catch (error) {
    if (target !== null && RENAME_REFUSED.includes(codeOf(error))) return false;
    // Network file systems may report a failure although the rename was done.
    if (!text.isAt(path)) throw failed(label, error, `${target === null ? '' : unchanged(target)}${text.keep()}`);
    text.renamed();
    throw failed(label, error, `${label} is complete but may not be on disk`);
  }
  text.renamed();
  return true;
}

/** A clause about a FILE to which nothing was written, if its name still leads to it. */
function unchanged(target: FileTarget): string {
  try {
    return placeOf(target) === 'target' ? `${target.label} is unchanged; ` : '';
  } catch {
    return '';
  }
}

/**
 * Writes FILE through its descriptor. It first writes the bytes beyond the old end: if there is no room for them, FILE
 * can be truncated to its old size.
 */
async function overwrite(target: FileTarget, text: SortedText, bytes: number, sync: boolean): Promise<void> {
  const { fd, label } = target;
  text.keep();
  let before: number | null = null;
  let state: 'untouched' | 'under way' | 'overwritten' | 'complete' = 'untouched';
  const now = (): string => {
    if (state === 'complete') return 'is complete but may not be on disk';
    if (state === 'overwritten' || (before !== null && sizeOf(fd) !== before)) return 'is partly written';
    return state === 'untouched' ? 'is unchanged' : 'may be partly written';
  };
  const forget = atExit(() => {
    warn(`${label} ${now()}; ${text.keep()}`);
  });
  try {
    before = sizeOf(fd);
    state = 'under way';
    await copyFileBytes(text.reading, fd, { begin: before, end: bytes });
    await copyFileBytes(text.reading, fd, { begin: 0, end: Math.min(before, bytes) }, () => {
      state = 'overwritten';
    });
    if (bytes < before) await fileSystem.ftruncate(fd, bytes);
    state = 'complete';
    if (sync) await fileSystem.fsync(fd);
    await target.close();
  } catch (error) {
    if (state === 'under way') {
      await quiet(fileSystem.ftruncate(fd, before!));
      state = 'untouched';
    }
    throw failed(label, error, `${label} ${now()}; ${text.keep()}`);
  } finally {
    forget();
  }
  text.remove();
}

const sizeOf = (fd: number): number => Number(fileSystem.fstatSync(fd).size);

/** Windows cannot sync directories, and need not: NTFS logs each change of a name. */
async function syncDirectory(directory: Buffer, label: string): Promise<void> {
  if (isWindows()) return;
  try {
    const fd = await fileSystem.open(directory, 'r');
    try {
      await fileSystem.fsync(fd);
    } finally {
      closeQuietly(fd);
    }
  } catch (error) {
    // Some file systems cannot sync directories.
    if (codeOf(error) !== 'EINVAL') throw failed(label, error, `${label} is complete but may not be on disk`);
  }
}

const MOVED: Readonly<Record<Exclude<NamedNow, 'target'>, string>> = {
  other: 'another file has taken this name since the sort began',
  none: 'no file has this name any more',
  elsewhere: 'this name now leads elsewhere',
};

function nameMoved(label: string, place: Exclude<NamedNow, 'target'>, text: SortedText): GpusortError {
  const where = text.keep();
  return new GpusortError('write-failed', `write failed: ${label}: ${MOVED[place]}`, {
    hint: sentence(place === 'other' ? `That file was left alone; ${where}` : where),
  });
}

function failed(label: string, error: unknown, state: string): GpusortError {
  return systemError('write-failed', 'write failed', label, error, sentence(state));
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

const MODE_BITS = 0o7777n;
/** The set-user-ID, set-group-ID and sticky bits. Writing to a file may clear the first two; replacing it would not. */
const SPECIAL_BITS = 0o7000n;
/** Exists if SELinux labels files. */
const SELINUX = '/sys/fs/selinux/enforce';

/**
 * Copies everything but contents and times from one open file to another: mode, owner, group, access control lists and
 * extended attributes. Node has no calls for the last two, so `cp` of GNU coreutils does it. It works on descriptors,
 * so no name is looked up again. Resolves to false in case of doubt, and on systems without GNU cp.
 */
export async function carryAttributes(from: number, to: number): Promise<boolean> {
  return canCarry(from) && (await copyByProgram(from, to)) && haveSameOwner(from, to);
}

/** carryAttributes, by synchronous calls. */
export function carryAttributesAtOnce(from: number, to: number): boolean {
  if (!canCarry(from)) return false;
  return spawnSync('cp', copyArguments(), copyOptions(from, to)).status === 0 && haveSameOwner(from, to);
}

/** Whether attributes of a file can be copied at all. */
export const canCarry = (from: number): boolean => isLinux() && (fileSystem.fstatSync(from).mode & SPECIAL_BITS) === 0n;

/** cp reports failures to copy the mode, the lists or the attributes, but a failure to copy the owner only to root. */
function haveSameOwner(from: number, to: number): boolean {
  const [a, b] = [fileSystem.fstatSync(from), fileSystem.fstatSync(to)];
  return a.uid === b.uid && a.gid === b.gid && (a.mode & MODE_BITS) === (b.mode & MODE_BITS);
}

function copyByProgram(from: number, to: number): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('cp', copyArguments(), copyOptions(from, to));
    child.on('error', () => {
      resolve(false);
    });
    child.on('close', (status) => {
      resolve(status === 0);
    });
  });
}

function copyArguments(): string[] {
  const what = fileSystem.existsSync(SELINUX) ? 'mode,ownership,xattr,context' : 'mode,ownership,xattr';
  return ['--attributes-only', `--preserve=${what}`, '/proc/self/fd/3', '/proc/self/fd/4'];
}

const copyOptions = (from: number, to: number): { stdio: StdioOptions } => ({
  stdio: ['ignore', 'ignore', 'ignore', from, to],
});

/**
 * Puts several complete outputs in place, in order. If it is known in advance that one of them cannot be put in place,
 * none is. Stops at the first failure: the message says which files are complete, and where the output for the others
 * is.
 */
export async function placeAll(files: readonly Destination[]): Promise<void> {
  // At exit, the program must not remove an output if another one of the same job is already in place.
  for (const file of files) file.keep();
  let placed = 0;
  const forget = atExit(() => {
    for (const file of files.slice(placed + 1)) {
      const where = file.keep();
      if (where !== null) warn(where);
    }
  });
  let at = 0;
  try {
    for (; at < files.length; at++) files[at].check();
    for (at = 0; at < files.length; at++) {
      await files[at].place();
      placed++;
    }
  } catch (error) {
    const kept = files.filter((_, i) => i >= placed && i !== at);
    throw withOthers(error, files.slice(0, placed), kept);
  } finally {
    forget();
  }
}

/** The error of one output, with the state of the others: some are in place; the rest are complete and kept. */
export function withOthers(error: unknown, placed: readonly Destination[], others: readonly Destination[]): unknown {
  if (!(error instanceof GpusortError)) return error;
  const { code, message, hint, exitCode, end, cause } = error;
  const sentences = [
    ...(hint === undefined ? [] : [hint]),
    ...placed.map(({ label }) => `${label} is complete.`),
    ...others.flatMap((file) => {
      const where = file.keep();
      return where === null ? [] : [sentence(where)];
    }),
  ];
  return new GpusortError(code, message, { exitCode, end, cause, hint: sentences.join(' ') });
}
