/**
 * The temporary file that holds sorted text on its way to FILE. It is removed at every exit until the text is complete.
 * After that it is kept unless FILE has the text.
 */
import { fileSystem } from '../file-system.js';
import { directoryOf } from '../links.js';
import { atExit } from '../report/cleanup.js';
import { systemText } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { warn } from '../report/warnings.js';
import { createTemporary, inDirectory, removeAbandoned, SORTED_MODE, sortedName } from '../temporary-files.js';
import { closeQuietly } from '../transfer.js';
import { copyBytes } from './copy.js';
import { exists, isSameFile } from './target.js';

/** The mode of text that only its owner may read. */
export const PRIVATE = 0o600;
/** Files that other programs remove at once before the sort gives up. */
const TRIES = 10;

export class SortedText {
  /** Open for writing until the text is complete. */
  fd = -1;
  /** Open for reading. */
  reading = -1;
  name!: Buffer;
  /** Whether keep() has been called. */
  isKept = false;
  /** Whether the file was there before. */
  readonly isAdopted: boolean;
  private directories: readonly Buffer[];
  private readonly mode: number;
  private forget: () => void = () => {};

  /**
   * Creates the file in the first of `directories` that accepts it. `others` are also tried if the file is lost later.
   * Throws the system's error of the last directory. `adopted`: a file that has the text already, or parts of it. It
   * belongs to the caller until it has become FILE.
   */
  constructor(directories: readonly Buffer[], others: readonly Buffer[], mode: number, adopted: Buffer | null = null) {
    this.directories = directories;
    this.mode = mode;
    this.isAdopted = adopted !== null;
    if (adopted !== null) {
      this.name = adopted;
      this.fd = fileSystem.openSync(adopted, 'r+');
      this.reading = fileSystem.openSync(adopted, 'r');
      return;
    }
    this.open();
    this.directories = [...directories, ...others];
    void removeAbandoned(this.directory);
  }

  get directory(): Buffer {
    return directoryOf(this.name);
  }

  /**
   * Truncates the text to `bytes` and closes the file for writing, after a sync if `sync`. A lost file is recreated,
   * without its attributes; resolves to whether it was not lost. Rejects with the system's error; the text is then
   * abandoned.
   */
  async complete(bytes: number, sync: boolean): Promise<boolean> {
    // Even if the size is right: like any write, this clears capabilities that were copied from a program.
    await fileSystem.ftruncate(this.fd, bytes);
    const isLost = !this.hasName() && !this.findName();
    if (isLost) await this.moveToNewFile(bytes);
    if (sync) await fileSystem.fsync(this.fd);
    const { fd } = this;
    this.fd = -1;
    if (this.reading === fd) this.reading = -1;
    // Network file systems report failed writes here.
    await fileSystem.close(fd);
    return !isLost;
  }

  /** Gives complete text a name that no later run removes. Returns the name for messages. */
  keep(): string {
    if (this.isKept) return displayName(this.name);
    this.isKept = true;
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

  /** Removes the temporary name. */
  remove(): void {
    this.forget();
    try {
      fileSystem.unlinkSync(this.name);
    } catch (error) {
      if (isPerhaps(this.name)) warn(`cannot remove temporary file: ${displayName(this.name)}: ${systemText(error)}`);
    }
  }

  /** The file has become FILE and must not be removed. */
  renamed(): void {
    this.forget();
  }

  /** Closes all descriptors. Failed writes were reported before. */
  close(): void {
    for (const fd of new Set([this.fd, this.reading])) if (fd >= 0) closeQuietly(fd);
    this.fd = this.reading = -1;
  }

  /**
   * Opens a new file. One that another program removes or replaces before it is open for reading is left to that
   * program.
   */
  private open(): void {
    for (let tries = 1; ; tries++) {
      const { fd, name } = this.create();
      this.fd = fd;
      this.name = name;
      this.forget = this.removeAtExit(name);
      let failure: unknown;
      try {
        this.reading = fileSystem.openSync(name, 'r');
        if (isSameFile(fileSystem.fstatSync(this.reading), fileSystem.fstatSync(fd)) && this.hasName()) return;
        failure = Object.assign(new Error('replaced'), { code: 'EBUSY' });
      } catch (error) {
        failure = error;
      }
      const isLost = !this.hasName();
      if (!isLost && this.reading < 0 && this.mode !== PRIVATE) {
        // The mode of a new FILE may forbid reading. Only the text of an existing FILE is read after it is complete.
        this.reading = fd;
        return;
      }
      this.close();
      if (isLost) this.forget();
      else this.remove();
      if (!isLost || tries === TRIES) throw failure;
    }
  }

  private create(): { fd: number; name: Buffer } {
    let failure: unknown;
    for (const directory of this.directories) {
      try {
        return createTemporary(directory, this.mode);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** Whether the name still leads to this file. Programs that clean /tmp may have removed it. */
  private hasName(): boolean {
    try {
      return isSameFile(fileSystem.lstatSync(this.name), fileSystem.fstatSync(this.fd));
    } catch (error) {
      // If the system cannot say, assume that it does: putting the file in place will show.
      return (error as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  }

  /** Finds the current name of the file: its directory may have been renamed. */
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

  /** Marks text that keeps its temporary name, so that no later run removes it. */
  private protect(): void {
    try {
      if (this.reading >= 0) fileSystem.fchmodSync(this.reading, SORTED_MODE);
      else fileSystem.chmodSync(this.name, SORTED_MODE);
    } catch {
      /* nothing more can be done */
    }
  }

  private removeAtExit(name: Buffer): () => void {
    return atExit(() => {
      fileSystem.unlinkSync(name);
    });
  }

  private async moveToNewFile(bytes: number): Promise<void> {
    const { fd, reading } = this;
    this.forget();
    this.fd = this.reading = -1;
    try {
      this.open();
      await copyBytes(reading, this.fd, 0, bytes);
    } finally {
      for (const old of new Set([fd, reading])) closeQuietly(old);
    }
  }
}

/** Whether there may be a file of that name. */
function isPerhaps(name: Buffer): boolean {
  try {
    return exists(name);
  } catch {
    return true;
  }
}
