/**
 * The temporary file that holds sorted text on its way to FILE. It is removed at every exit until the text is complete.
 * After that it is kept unless FILE has the text.
 */

import { atExit } from '../report/cleanup.js';
import { displayName } from '../report/names.js';
import { warn } from '../report/warnings.js';
import { systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { basenameOf, directoryOf, type HeldDirectory, holdDirectory, isSameFile } from '../system/links.js';
import { createTemporary, inDirectory, PRIVATE, SORTED_MODE, sortedName } from '../system/temporary-files.js';
import { closeQuietly, copyFileBytes } from '../system/transfer.js';

/** The number of files that other programs may remove at once before the sort gives up. */
const TRIES = 10;

export class SortedText {
  /** Open for writing until the text is complete. */
  fd = -1;
  /** Open for reading. */
  reading = -1;
  /** Its name for system calls, which works even if its directory is renamed or hidden. */
  name!: Buffer;
  /** Whether keep() has been called. */
  isKept = false;
  /** Whether the file was there before. */
  readonly isAdopted: boolean;
  /** Its path in messages. */
  private shown!: Buffer;
  private held!: HeldDirectory;
  /** The size of the complete text. */
  private bytes = 0;
  private identity!: { readonly dev: bigint; readonly ino: bigint };
  private directories: readonly Buffer[];
  private readonly mode: number;
  private forget: () => void = () => {};

  /**
   * Creates the file in the first of `directories` that accepts it. `others` are also tried if the file is lost later.
   * Throws the system's error of the last directory. `adopted`: an existing file that is used instead, with the text or
   * parts of it. It belongs to the caller until it has become FILE.
   */
  constructor(directories: readonly Buffer[], others: readonly Buffer[], mode: number, adopted: Buffer | null = null) {
    this.directories = directories;
    this.mode = mode;
    this.isAdopted = adopted !== null;
    if (adopted !== null) {
      this.fd = fileSystem.openSync(adopted, 'r+');
      this.reading = fileSystem.openSync(adopted, 'r');
      this.identity = fileSystem.fstatSync(this.fd);
      this.lies(adopted, holdDirectory(directoryOf(adopted)));
      return;
    }
    this.open();
    this.directories = [...directories, ...others];
  }

  get directory(): Buffer {
    return directoryOf(this.shown);
  }

  /** The remedy if the disk is full. */
  get whenFull(): string {
    return `Free space in ${displayName(this.directory)}: the sorted output needs it until it is complete.`;
  }

  /** Whether `path` leads to this file. */
  isAt(path: Buffer): boolean {
    return this.leadsHere(path) === true;
  }

  /**
   * Truncates the text to `bytes` and closes the file for writing, after a sync if `sync`. A lost file is recreated,
   * without its attributes; resolves to false in that case. Rejects with the system's error; the text is then
   * abandoned.
   */
  async complete(bytes: number, sync: boolean): Promise<boolean> {
    // Truncated even if the size is right: like any write, this clears capabilities that were copied from a program.
    await fileSystem.ftruncate(this.fd, bytes);
    this.bytes = bytes;
    const isLost = !this.isFound();
    if (isLost) await this.moveToNewFile(bytes);
    if (sync) await fileSystem.fsync(this.fd);
    const { fd } = this;
    this.fd = -1;
    if (this.reading === fd) this.reading = -1;
    // Network file systems report failed writes here.
    await fileSystem.close(fd);
    return !isLost;
  }

  /** Completes a text of `bytes` bytes, all of which have just been written. Throws the system's error. */
  completeAtOnce(bytes: number): void {
    this.bytes = bytes;
    const { fd } = this;
    // Clears capabilities, as in `complete`, even if nothing was written.
    if (bytes === 0) fileSystem.ftruncateSync(fd, 0);
    this.fd = -1;
    if (this.reading === fd) this.reading = -1;
    fileSystem.closeSync(fd);
  }

  /**
   * Renames complete text to a name that no later run removes. Returns a clause that says where the text is now.
   * `what`: the text, for that clause.
   */
  keep(what = 'sorted output'): string {
    if (!this.isKept) {
      this.isKept = true;
      this.forget();
      const name = sortedName();
      try {
        fileSystem.renameSync(this.name, inDirectory(this.held.path, name));
        this.name = inDirectory(this.held.path, name);
        this.shown = inDirectory(this.directory, name);
      } catch {
        this.protect();
      }
    }
    const isFound = this.isFound();
    const name = displayName(this.shown);
    if (!isFound && !this.isAt(this.name)) return `the ${what} is lost: ${name} was removed`;
    if (!this.isWhole()) return `the ${what} is lost: ${name} was cut`;
    return `the complete ${what} is in ${name}${isFound ? '' : ', which a mount hides'}`;
  }

  /** Removes the temporary name. */
  remove(): void {
    this.forget();
    try {
      fileSystem.unlinkSync(this.name);
    } catch (error) {
      if (this.hasName()) warn(`cannot remove temporary file: ${displayName(this.shown)}: ${systemText(error)}`);
    }
  }

  /** The file has become FILE and must not be removed. */
  renamed(): void {
    this.forget();
  }

  /** Closes all descriptors. Failed writes were reported before. */
  close(): void {
    this.closeFile();
    this.held.close();
  }

  private closeFile(): void {
    for (const fd of new Set([this.fd, this.reading])) if (fd >= 0) closeQuietly(fd);
    this.fd = this.reading = -1;
  }

  /**
   * Opens a new file. One that another program removes or replaces before it is open for reading is left to that
   * program.
   */
  private open(): void {
    for (let tries = 1; ; tries++) {
      this.create();
      const { fd, name } = this;
      this.forget = this.removeAtExit();
      let failure: unknown;
      try {
        this.identity = fileSystem.fstatSync(fd);
        this.reading = fileSystem.openSync(name, 'r');
        if (isSameFile(fileSystem.fstatSync(this.reading), this.identity) && this.hasName()) return;
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
      this.closeFile();
      if (isLost) this.forget();
      else this.remove();
      this.held.close();
      if (!isLost || tries === TRIES) throw failure;
    }
  }

  private create(): void {
    let failure: unknown;
    for (const directory of this.directories) {
      const held = holdDirectory(directory);
      try {
        const { fd, name } = createTemporary(held.path, this.mode);
        this.fd = fd;
        this.lies(inDirectory(directory, basenameOf(name)), held);
        return;
      } catch (error) {
        held.close();
        failure = error;
      }
    }
    throw failure;
  }

  /** Notes where the file is. */
  private lies(shown: Buffer, held: HeldDirectory): void {
    this.shown = shown;
    this.held = held;
    this.name = inDirectory(held.path, basenameOf(shown));
  }

  /**
   * Whether `name` leads to this file. Programs that clean /tmp may have removed it. Null: the system cannot say, for
   * example if the name is too long.
   */
  private leadsHere(name: Buffer): boolean | null {
    try {
      return isSameFile(fileSystem.lstatSync(name), this.identity);
    } catch (error) {
      return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? false : null;
    }
  }

  private hasName(): boolean {
    return this.leadsHere(this.name) !== false;
  }

  /** Whether the file can be found at the path that messages show. Its directory may have been renamed, or hidden. */
  private isFound(): boolean {
    return this.leadsHere(this.shown) !== false || this.findName();
  }

  private isWhole(): boolean {
    try {
      return Number(fileSystem.lstatSync(this.name).size) >= this.bytes;
    } catch {
      return true; // nothing else is known
    }
  }

  /** Finds the current name of the file. */
  private findName(): boolean {
    try {
      const name = fileSystem.readlinkSync(`/proc/self/fd/${this.fd < 0 ? this.reading : this.fd}`);
      if (!this.isAt(name)) return false;
      const { held } = this;
      this.lies(name, holdDirectory(directoryOf(name)));
      held.close();
      return true;
    } catch {
      return false;
    }
  }

  /** Marks text that keeps its temporary name: later runs do not remove it. */
  private protect(): void {
    try {
      if (this.reading >= 0) fileSystem.fchmodSync(this.reading, SORTED_MODE);
      else fileSystem.chmodSync(this.name, SORTED_MODE);
    } catch {
      /* nothing more can be done */
    }
  }

  private removeAtExit(): () => void {
    return atExit(() => {
      fileSystem.unlinkSync(this.name);
    });
  }

  private async moveToNewFile(bytes: number): Promise<void> {
    const { fd, reading, held } = this;
    if (this.isAt(this.name)) this.remove();
    this.forget();
    this.fd = this.reading = -1;
    try {
      this.open();
      await copyFileBytes(reading, this.fd, { begin: 0, end: bytes });
    } finally {
      for (const old of new Set([fd, reading])) closeQuietly(old);
      held.close();
    }
  }
}
