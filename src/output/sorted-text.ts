/**
 * The temporary file that sorted text is written to on its way to FILE. It is removed at every exit until the text is complete; from then on it
 * is kept unless FILE has the text.
 */
import { fileSystem } from '../file-system.js';
import { atExit } from '../report/cleanup.js';
import { systemText } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { warn } from '../report/warnings.js';
import { createTemporary, inDirectory, removeAbandoned, sortedName } from '../temporary-files.js';
import { closeQuietly } from '../transfer.js';
import { copyBytes } from './copy.js';
import { directoryOf, exists, isSameFile } from './target.js';

export class SortedText {
  /** Open for writing; not any more when the text is complete. */
  fd = -1;
  /** Open for reading. */
  reading = -1;
  name!: Buffer;
  private readonly directories: readonly Buffer[];
  private readonly mode: number;
  private forget: () => void = () => {};

  /** Makes the file in the first of `directories` that takes one. Throws the system's error of the last. */
  constructor(directories: readonly Buffer[], mode: number) {
    this.directories = directories;
    this.mode = mode;
    this.open();
    void removeAbandoned(this.directory);
  }

  get directory(): Buffer { return directoryOf(this.name); }

  /** Ends the text at `bytes` and closes the file for writing, on disk if `sync`. Rejects with the system's error; the text is then given up. */
  async complete(bytes: number, sync: boolean): Promise<void> {
    if (Number(fileSystem.fstatSync(this.fd).size) > bytes) await fileSystem.ftruncate(this.fd, bytes);
    if (!this.hasName()) await this.moveToNewFile(bytes);
    if (sync) await fileSystem.fsync(this.fd);
    const { fd } = this;
    this.fd = -1;
    // File systems across a network report here what they could not write.
    await fileSystem.close(fd);
  }

  /** Gives complete text a name that no later run removes; returns it as messages show it. */
  keep(): string {
    this.forget();
    const name = inDirectory(this.directory, sortedName());
    try {
      fileSystem.renameSync(this.name, name);
      this.name = name;
    } catch { /* it stays where it is */ }
    return displayName(this.name);
  }

  /** Removes the file's name, if it has not become FILE's. */
  remove(): void {
    this.forget();
    try {
      fileSystem.unlinkSync(this.name);
    } catch (error) {
      if (exists(this.name)) warn(`cannot remove temporary file: ${displayName(this.name)}: ${systemText(error)}`);
    }
  }

  /** The file has become FILE: nothing is left to be removed. */
  renamed(): void { this.forget(); }

  /** Closes what is open. What could not be written was reported before. */
  close(): void {
    for (const fd of [this.fd, this.reading]) if (fd >= 0) closeQuietly(fd);
    this.fd = this.reading = -1;
  }

  private open(): void {
    const { fd, name } = this.create();
    this.fd = fd;
    this.name = name;
    this.forget = atExit(() => { fileSystem.unlinkSync(name); });
    try {
      this.reading = fileSystem.openSync(name, 'r');
      if (!this.hasName(this.reading)) throw Object.assign(new Error('replaced'), { code: 'EBUSY' });
    } catch (error) {
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

  private async moveToNewFile(bytes: number): Promise<void> {
    const { fd, reading } = this;
    this.forget();
    this.open();
    await copyBytes(reading, this.fd, 0, bytes);
    closeQuietly(fd);
    closeQuietly(reading);
  }
}
