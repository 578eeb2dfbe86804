/**
 * The temporary file that sorted text is written to on its way to FILE. It is removed at every exit until the text is complete; from then on it
 * is kept unless FILE has the text.
 */
import { fileSystem } from '../file-system.js';
import { atExit } from '../report/cleanup.js';
import { systemText } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { warn } from '../report/warnings.js';
import { createTemporary, inDirectory, removeAbandoned, SORTED_MODE, sortedName } from '../temporary-files.js';
import { closeQuietly } from '../transfer.js';
import { copyBytes } from './copy.js';
import { directoryOf, exists, isSameFile } from './target.js';

/** The mode of text that only its owner's business is. */
export const PRIVATE = 0o600;

export class SortedText {
  /** Open for writing; not any more when the text is complete. */
  fd = -1;
  /** Open for reading. */
  reading = -1;
  name!: Buffer;
  private directories: readonly Buffer[];
  private readonly mode: number;
  private forget: () => void = () => {};

  /**
   * Makes the file in the first of `directories` that takes one; `others` are tried if it is lost. Throws the system's error of the last.
   */
  constructor(directories: readonly Buffer[], others: readonly Buffer[], mode: number) {
    this.directories = directories;
    this.mode = mode;
    this.open();
    this.directories = [...directories, ...others];
    void removeAbandoned(this.directory);
  }

  get directory(): Buffer { return directoryOf(this.name); }

  /**
   * Ends the text at `bytes` and closes the file for writing, on disk if `sync`. Resolves to whether it is the file it was: a lost one is made again,
   * without its attributes. Rejects with the system's error; the text is then given up.
   */
  async complete(bytes: number, sync: boolean): Promise<boolean> {
    // Also if it has this size: privileges of a program (capabilities) that were carried over end with that, as with any write.
    await fileSystem.ftruncate(this.fd, bytes);
    const isLost = !this.hasName() && !this.findName();
    if (isLost) await this.moveToNewFile(bytes);
    if (sync) await fileSystem.fsync(this.fd);
    const { fd } = this;
    this.fd = -1;
    if (this.reading === fd) this.reading = -1;
    // File systems across a network report here what they could not write.
    await fileSystem.close(fd);
    return !isLost;
  }

  /** Gives complete text a name that no later run removes; returns it as messages show it. */
  keep(): string {
    this.forget();
    const name = inDirectory(this.directory, sortedName());
    try {
      fileSystem.renameSync(this.name, name);
      this.name = name;
    } catch {
      this.protect();
    }
    return displayName(this.name);
  }

  /** Removes the file's name, if it has not become FILE's. */
  remove(): void {
    this.forget();
    try {
      fileSystem.unlinkSync(this.name);
    } catch (error) {
      if (isPerhaps(this.name)) warn(`cannot remove temporary file: ${displayName(this.name)}: ${systemText(error)}`);
    }
  }

  /** The file has become FILE: nothing is left to be removed. */
  renamed(): void { this.forget(); }

  /** Closes what is open. What could not be written was reported before. */
  close(): void {
    for (const fd of new Set([this.fd, this.reading])) if (fd >= 0) closeQuietly(fd);
    this.fd = this.reading = -1;
  }

  private open(): void {
    const { fd, name } = this.create();
    this.fd = fd;
    this.name = name;
    this.forget = this.removeAtExit(name);
    try {
      this.reading = fileSystem.openSync(name, 'r');
      if (!this.hasName(this.reading)) throw Object.assign(new Error('replaced'), { code: 'EBUSY' });
    } catch (error) {
      if (this.mode !== PRIVATE && this.reading < 0) {
        // A new FILE's mode may forbid it. Only the text of an existing FILE is read once it is complete.
        this.reading = fd;
        return;
      }
      this.close();
      this.remove();
      throw error;
    }
  }

  private create(): { fd: number; name: Buffer } {
    let failure: unknown;
    for (const directory of this.directories) {
      try { return createTemporary(directory, this.mode); } catch (error) { failure = error; }
    }
    throw failure;
  }

  /** Whether the name leads to this file: programs that clean /tmp may have removed it. */
  private hasName(fd = this.fd): boolean {
    try {
      return isSameFile(fileSystem.lstatSync(this.name), fileSystem.fstatSync(fd));
    } catch (error) {
      // If the system cannot say, it is believed to be there: putting it in place shows.
      return (error as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  }

  /** Finds the file under the name that it has now: its directory may have been renamed. */
  private findName(): boolean {
    try {
      const name = fileSystem.readlinkSync(`/proc/self/fd/${this.fd}`);
      if (!isSameFile(fileSystem.lstatSync(name), fileSystem.fstatSync(this.fd))) return false;
      this.forget();
      this.name = name;
      this.forget = this.removeAtExit(name);
      return true;
    } catch {
      return false;
    }
  }

  /** Makes text that keeps a temporary name one that no later run removes. */
  private protect(): void {
    try {
      if (this.reading >= 0) fileSystem.fchmodSync(this.reading, SORTED_MODE);
      else fileSystem.chmodSync(this.name, SORTED_MODE);
    } catch { /* nothing more can be done */ }
  }

  private removeAtExit(name: Buffer): () => void { return atExit(() => { fileSystem.unlinkSync(name); }); }

  private async moveToNewFile(bytes: number): Promise<void> {
    const { fd, reading } = this;
    this.forget();
    this.open();
    await copyBytes(reading, this.fd, 0, bytes);
    for (const old of new Set([fd, reading])) closeQuietly(old);
  }
}

/** Whether there may be something by that name. */
function isPerhaps(name: Buffer): boolean {
  try {
    return exists(name);
  } catch {
    return true;
  }
}
