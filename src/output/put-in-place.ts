/**
 * Makes complete sorted text the contents of FILE. For a new FILE, link() gives the temporary file its name, which
 * replaces nothing. For an existing FILE, the temporary file is renamed onto it if that changes only the contents.
 * Otherwise it is copied into FILE through the descriptor opened at the start. On failure the text is kept, and the
 * message says where. docs/reliability.md lists the promises.
 */
import { fileSystem } from '../file-system.js';
import { isWindows } from '../platform.js';
import { atExit } from '../report/cleanup.js';
import { GpusortError, systemError } from '../report/errors.js';
import { warn } from '../report/warnings.js';
import { closeQuietly } from '../transfer.js';
import { copyBytes } from './copy.js';
import type { SortedText } from './sorted-text.js';
import { type FileTarget, isSameFile, leadsToTarget, type NewTarget } from './target.js';

/** Rename errors that mean: refused for this file or directory, as in sticky directories and for bind mounts. */
const RENAME_REFUSED: readonly string[] = ['EPERM', 'EACCES', 'EBUSY', 'EXDEV'];
/** Link errors that mean: the file system has no hard links. FAT on Windows: EISDIR, which link(2) does not have. */
const NO_LINKS: readonly string[] = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EISDIR'];

/**
 * Makes `text`, complete with `bytes` bytes, the contents of the target. `carried`: the temporary file has all
 * attributes of an existing target. `sync`: FILE and its directory are on disk afterwards. Throws `write-failed` and
 * says what FILE holds.
 */
export async function putInPlace(
  target: FileTarget | NewTarget,
  text: SortedText,
  bytes: number,
  carried: boolean,
  sync: boolean,
): Promise<void> {
  checkName(target, text);
  if (target.kind === 'new') giveName(target, text);
  else if (!carried || !replace(target, text)) {
    await overwrite(target, text, bytes, sync);
    return;
  }
  if (sync) await syncDirectory(text.directory, target.label);
}

/** Throws `write-failed` if the target's name leads to another file by now; `text` is then kept. */
export function checkName(target: FileTarget | NewTarget, text: SortedText): void {
  let leads: boolean;
  try {
    leads = leadsToTarget(target);
  } catch (error) {
    throw failed(target.label, error, `the complete sorted output is in ${text.keep()}`);
  }
  if (!leads) throw nameMoved(target.label, text);
}

/** Whether this user may replace an existing FILE that has no other name. The caller checks its attributes. */
export function isReplaceable({ fd, path }: FileTarget): boolean {
  if (path === null) return false;
  const stat = fileSystem.fstatSync(fd);
  const user = process.geteuid?.();
  return stat.nlink === 1n && (user === 0 || user === Number(stat.uid)) && isSameFile(fileSystem.lstatSync(path), stat);
}

function giveName({ path, label }: NewTarget, text: SortedText): void {
  try {
    fileSystem.linkSync(text.name, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw nameMoved(label, text);
    if (!NO_LINKS.includes(codeOf(error)) || !rename(text, path, label, []))
      throw failed(label, error, `the complete sorted output is in ${text.keep()}`);
    return;
  }
  text.remove();
}

/** Returns false if FILE must be written in place. */
function replace(target: FileTarget, text: SortedText): boolean {
  const { path, label } = target;
  try {
    if (!isReplaceable(target)) return false;
  } catch {
    return false; // in doubt, write in place
  }
  return rename(text, path!, label, RENAME_REFUSED);
}

/** Returns false if the rename fails for one of the reasons in `refused`. */
function rename(text: SortedText, path: Buffer, label: string, refused: readonly string[]): boolean {
  try {
    fileSystem.renameSync(text.name, path);
  } catch (error) {
    if (refused.includes(codeOf(error))) return false;
    throw failed(label, error, `${label} is unchanged; the complete sorted output is in ${text.keep()}`);
  }
  text.renamed();
  return true;
}

/**
 * Writes FILE through its descriptor. It first writes what lies beyond the old end: if there is no room for that, FILE
 * can be restored to its old size.
 */
async function overwrite(target: FileTarget, text: SortedText, bytes: number, sync: boolean): Promise<void> {
  const { fd, label } = target;
  const kept = text.keep();
  const partly = `${label} is partly written; the complete sorted output is in ${kept}`;
  const forget = atExit(() => {
    warn(partly);
  });
  let before = 0;
  let state: 'as it was' | 'longer' | 'partly written' = 'as it was';
  try {
    before = Number(fileSystem.fstatSync(fd).size);
    state = 'longer';
    await copyBytes(text.reading, fd, before, bytes);
    state = 'partly written';
    await copyBytes(text.reading, fd, 0, Math.min(before, bytes));
    if (bytes < before) await fileSystem.ftruncate(fd, bytes);
    if (sync) await fileSystem.fsync(fd);
  } catch (error) {
    if (
      state === 'longer' &&
      (await fileSystem.ftruncate(fd, before).then(
        () => true,
        () => false,
      ))
    )
      state = 'as it was';
    throw failed(
      label,
      error,
      state === 'as it was' ? `${label} is unchanged; the complete sorted output is in ${kept}` : partly,
    );
  } finally {
    forget();
  }
  try {
    await target.close();
  } catch (error) {
    throw failed(label, error, `${label} is complete but may not be on disk; the sorted output is also in ${kept}`);
  }
  text.remove();
}

/** Windows syncs no directories: NTFS logs each change of a name. */
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

function nameMoved(label: string, text: SortedText): GpusortError {
  return new GpusortError(
    'write-failed',
    `write failed: ${label}: another file has taken this name since the sort began`,
    { hint: sentence(`That file is unchanged; the complete sorted output is in ${text.keep()}`) },
  );
}

function failed(label: string, error: unknown, state: string): GpusortError {
  return systemError('write-failed', 'write failed', label, error, sentence(state));
}

const sentence = (text: string): string => `${text}.`;
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';
