/**
 * A temporary file that holds blobs. It is unlinked as soon as it is open, so nothing remains however the process ends.
 * If the system refuses to unlink an open file, the file is removed when it is closed or when the process exits.
 */
import { atExit } from '../report/cleanup.js';
import { displayName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import { warn } from '../report/warnings.js';
import { firstIndex } from '../system/binary-search.js';
import { GpusortError, internalError, systemError, systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { basenameOf, type HeldDirectory, holdDirectory } from '../system/links.js';
import {
  createTemporary,
  inDirectory,
  removeAbandoned,
  type TemporaryFile,
  temporaryRemedy,
} from '../system/temporary-files.js';
import { closeQuietly, readFilling, uninterrupted, writeFully } from '../system/transfer.js';

/** The remedy if the disk returns different bytes from those written. */
const DAMAGED_HINT = 'Check the disk and its file system, or name another directory with -T.';

export class SpillFile {
  readonly space = new Space();
  /** The name in messages; the file itself has none. */
  private readonly label: string;
  private readonly fd: number;
  /** Removes the file if it still has a name. */
  private readonly remove: () => void;
  /** System calls under way. */
  private underway = 0;
  private closed = false;

  private readonly recorder: Recorder | null;

  /** Creates a file in `directory`. Throws `no-temporary-space`. */
  constructor(directory: Buffer, recorder: Recorder | null) {
    this.recorder = recorder;
    void removeAbandoned(directory);
    let file: TemporaryFile;
    const held = holdDirectory(directory);
    try {
      file = uninterrupted(() => createTemporary(held.path));
    } catch (error) {
      held.close();
      const message = `cannot create temporary file in '${displayName(directory)}': ${systemText(error)}`;
      throw new GpusortError('no-temporary-space', message, { cause: error, ...temporaryRemedy(error) });
    }
    this.fd = file.fd;
    this.label = `temporary file in ${displayName(directory)}`;
    this.remove = unlinked(file.name, directory, held);
  }

  /** Writes all of `data` at `position`. Throws `no-temporary-space`. */
  async write(data: Uint8Array, position: number): Promise<void> {
    const start = performance.now();
    await this.during(() => writeFully(this.fd, [data], position)).catch((error: unknown) => {
      if (error instanceof GpusortError) throw error;
      const message = `write failed: ${this.label}: ${systemText(error)}`;
      throw new GpusortError('no-temporary-space', message, { cause: error, ...temporaryRemedy(error, data.length) });
    });
    this.recorder?.span('spill', start, data.length);
  }

  /** Fills `target` from `position` on. Throws `read-failed`. */
  async read(target: Uint8Array, position: number): Promise<void> {
    const start = performance.now();
    const count = await this.during(() => readFilling(this.fd, target, position)).catch((error: unknown) => {
      throw error instanceof GpusortError ? error : systemError('read-failed', 'read failed', this.label, error);
    });
    if (count < target.length) throw this.damage(`it ends at byte ${position + count}, before the data written last`);
    this.recorder?.span('reload', start, target.length);
  }

  /** The error for a block at `position` that differs from the written bytes. */
  damagedBlock(position: number): GpusortError {
    return this.damage(`the block at byte ${position} is damaged`);
  }

  /** Closes the file once no call is under way. After that its descriptor may belong to another file. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    if (this.underway === 0) closeQuietly(this.fd);
    this.remove();
  }

  private damage(what: string): GpusortError {
    return new GpusortError('read-failed', `read failed: ${this.label}: ${what}`, { hint: DAMAGED_HINT });
  }

  private async during<T>(call: () => Promise<T>): Promise<T> {
    if (this.closed) throw internalError('a temporary file was used after it was closed');
    this.underway++;
    try {
      return await call();
    } finally {
      this.underway--;
      if (this.closed && this.underway === 0) closeQuietly(this.fd);
    }
  }
}

/**
 * Unlinks an open file in a held directory. Returns the action for closing it: nothing, or another attempt if it could
 * not be unlinked. That attempt is also made at exit.
 */
function unlinked(name: Buffer, directory: Buffer, held: HeldDirectory): () => void {
  try {
    fileSystem.unlinkSync(name);
    held.close();
    return () => {};
  } catch {
    /* retried later */
  }
  const remove = (): void => {
    forget();
    try {
      fileSystem.unlinkSync(name);
    } catch (error) {
      const shown = displayName(inDirectory(directory, basenameOf(name)));
      warn(`cannot remove temporary file: ${shown}: ${systemText(error)}`, 'cannot remove temporary file');
    }
    held.close();
  };
  const forget = atExit(remove);
  return remove;
}

/** Bytes [begin, end) of a file. */
export interface Extent {
  readonly begin: number;
  readonly end: number;
}

/**
 * A smaller gap is used only by what fits into it whole. This keeps reads large (at most one extent per MiB), and a gap
 * between used extents wastes less than this.
 */
const LEAST_PART_BYTES = 1 << 20;

export class Space {
  /** No byte from here on is in use. */
  private end = 0;
  /** Gaps before `end`, in order; no two are adjacent. */
  private readonly gaps: Extent[] = [];

  /**
   * Allocates `bytes` bytes: one extent in a gap or at the end, or several extents in order if large gaps can be
   * filled.
   */
  take(bytes: number): Extent[] {
    const fitting = this.gaps.findIndex(({ begin, end }) => end - begin >= bytes);
    if (fitting >= 0) return [this.takeFrom(fitting, bytes)];
    const taken: Extent[] = [];
    let left = bytes;
    for (let i = 0; left > 0 && i < this.gaps.length; ) {
      const gap = this.gaps[i].end - this.gaps[i].begin;
      if (gap < LEAST_PART_BYTES && gap < left) {
        i++;
        continue;
      }
      const part = Math.min(gap, left);
      taken.push(this.takeFrom(i, part));
      left -= part;
    }
    if (left > 0) {
      taken.push({ begin: this.end, end: this.end + left });
      this.end += left;
    }
    return taken;
  }

  /** Frees an extent or a part of one. */
  give({ begin, end }: Extent): void {
    if (begin === end) return;
    const { gaps } = this;
    const at = this.firstAfter(begin);
    const [before, after] = [gaps[at - 1], gaps[at]];
    const joinsBefore = before?.end === begin;
    const joinsAfter = after?.begin === end;
    const joined = { begin: joinsBefore ? before.begin : begin, end: joinsAfter ? after.end : end };
    gaps.splice(joinsBefore ? at - 1 : at, Number(joinsBefore) + Number(joinsAfter), joined);
    if (joined.end < this.end) return;
    gaps.pop();
    this.end = joined.begin;
  }

  private takeFrom(i: number, bytes: number): Extent {
    const { begin, end } = this.gaps[i];
    if (begin + bytes === end) this.gaps.splice(i, 1);
    else this.gaps[i] = { begin: begin + bytes, end };
    return { begin, end: begin + bytes };
  }

  /** The index of the first gap that begins after `byte`. */
  private firstAfter(byte: number): number {
    return firstIndex(0, this.gaps.length, (i) => this.gaps[i].begin > byte);
  }
}
