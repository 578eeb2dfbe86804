/**
 * Space for bytes that do not fit in the engine: host memory as far as allowed, then one file in each temporary directory, compressed where that is asked for.
 * Directories are made with mode 0700 at first need and removed on every exit. Knows nothing of records.
 */
import { fileSystem } from '../file-system.js';
import type { FileName } from '../job.js';
import { atExit } from '../report/cleanup.js';
import { GpusortError, systemError, systemText } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { readFilling, writeFully } from '../transfer.js';
import { BlockProgram } from './block-program.js';
import { CompressedBlobs } from './compress.js';

/** Bytes written once, then read at any place; no read may be under way when it is released. */
export interface Blob {
  readonly bytes: number;
  readAt(byte: number, target: Uint8Array): Promise<void>;
  release(): void;
}

export interface BlobWriter {
  /** Appends a copy of `bytes`; calls need not wait for each other. */
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<Blob>;
}

/** Blocks of memory blobs: large enough to be few, small enough not to waste. */
const MEMORY_BLOCK_BYTES = 16 << 20;

interface SpillFile {
  readonly fd: number;
  readonly label: string;
  end: number;
  /** Places before `end` that are free again, in order, none beside another. */
  readonly free: Extent[];
  readonly remove: () => void;
}

interface Extent { begin: number; end: number }

export class TemporaryStore {
  private readonly directories: readonly FileName[];
  /** What goes to files goes through the program, and what it gives is kept here. */
  private readonly program: BlockProgram | null;
  private readonly compressed: CompressedBlobs | null;
  private memoryLeft = 0;
  private readonly opened: SpillFile[] = [];
  /** The file of each directory that blobs of known size share. */
  private readonly shared: (SpillFile | undefined)[] = [];
  private turn = 0;
  /** Bytes that went to files, for --stats. */
  spilledBytes = 0;

  /** `compressing`: the program that what goes to files is compressed by, and the most processes of it at once. */
  constructor(directories: readonly FileName[], compressing: { readonly program: Buffer; readonly width: number } | null = null) {
    this.directories = directories;
    this.program = compressing && new BlockProgram(compressing.program, compressing.width);
    this.compressed = this.program && new CompressedBlobs(this.program, (bytes) => this.inFile(bytes));
  }

  /** Sets how many bytes may stay in host memory; before anything is stored. */
  allowMemory(bytes: number): void { this.memoryLeft = bytes; }

  /** Room for a blob of exactly `bytes`, or of unknown size (always a file). */
  create(bytes: number | null): BlobWriter {
    if (bytes !== null && bytes <= this.memoryLeft) return this.inMemory(bytes);
    return this.compressed?.open() ?? this.inFile(bytes);
  }

  private inMemory(bytes: number): BlobWriter {
    this.memoryLeft -= bytes;
    const blocks: Uint8Array[] = [];
    let length = 0;
    return {
      write: async (data) => {
        for (let at = 0; at < data.length;) {
          const within = length % MEMORY_BLOCK_BYTES;
          if (within === 0) blocks.push(new Uint8Array(Math.min(MEMORY_BLOCK_BYTES, bytes - length)));
          const part = data.subarray(at, at + MEMORY_BLOCK_BYTES - within);
          blocks[blocks.length - 1]!.set(part, within);
          length += part.length;
          at += part.length;
        }
      },
      finish: async () => ({
        bytes: length,
        readAt: async (byte, target) => {
          for (let done = 0; done < target.length;) {
            const within = (byte + done) % MEMORY_BLOCK_BYTES;
            const part = blocks[Math.floor((byte + done) / MEMORY_BLOCK_BYTES)]!.subarray(within, within + target.length - done);
            target.set(part, done);
            done += part.length;
          }
        },
        release: () => { blocks.length = 0; this.memoryLeft += bytes; },
      }),
    };
  }

  /**
   * Room in a spill file. A blob of known size has its place at once, so that several can be written side by side; one of
   * unknown size gets a file of its own.
   */
  private inFile(bytes: number | null): BlobWriter {
    const file = bytes === null ? this.openFile(this.turn++ % this.directories.length) : this.sharedFile();
    const begin = bytes === null ? 0 : takePlace(file, bytes);
    let length = 0;
    return {
      write: async (data) => {
        const at = begin + length;
        length += data.length;
        await writeSpill(file, data, at);
        this.spilledBytes += data.length;
      },
      finish: async () => ({
        bytes: length,
        readAt: (byte, target) => readExactly(file, target, begin + byte),
        release: () => { if (bytes === null) this.removeFile(file); else givePlace(file, { begin, end: begin + bytes }); },
      }),
    };
  }

  private sharedFile(): SpillFile {
    const i = this.turn++ % this.directories.length;
    return this.shared[i] ??= this.openFile(i);
  }

  private openFile(i: number): SpillFile {
    const parent = this.directories[i] ?? Buffer.from('/tmp');
    let directory: Buffer;
    try {
      directory = fileSystem.mkdtempSync(Buffer.concat([parent, Buffer.from('/gpusort-')]));
    } catch (error) {
      throw new GpusortError('no-temporary-space', `cannot create temporary file in '${displayName(parent)}': ${systemText(error)}`,
        { cause: error, hint: 'name a directory that can be written to with -T' });
    }
    const name = Buffer.concat([directory, Buffer.from('/runs')]);
    let fd = -1;
    const remove = (): void => {
      if (fd >= 0) { fileSystem.closeSync(fd); fileSystem.unlinkSync(name); }
      fileSystem.rmdirSync(directory);
    };
    const forget = atExit(remove);
    try {
      fd = fileSystem.openSync(name, 'wx+', 0o600);
    } catch (error) {
      forget();
      remove();
      throw systemError('no-temporary-space', 'cannot create temporary file', displayName(name), error);
    }
    const file: SpillFile = { fd, label: displayName(name), end: 0, free: [], remove: () => { forget(); remove(); } };
    this.opened.push(file);
    return file;
  }

  private removeFile(file: SpillFile): void {
    const at = this.opened.indexOf(file);
    if (at < 0) return;
    this.opened.splice(at, 1);
    file.remove();
  }

  /** Ends what is under way and removes all files and directories. */
  close(): void {
    this.program?.close();
    for (const file of this.opened) file.remove();
    this.opened.length = 0;
    this.shared.length = 0;
  }
}

/** The first place of `bytes` bytes that is free, at the file's end if there is none before: what is sorted by segments may never end. */
function takePlace(file: SpillFile, bytes: number): number {
  const at = file.free.findIndex(({ begin, end }) => end - begin >= bytes);
  if (at < 0) {
    file.end += bytes;
    return file.end - bytes;
  }
  const place = file.free[at]!;
  place.begin += bytes;
  if (place.begin === place.end) file.free.splice(at, 1);
  return place.begin - bytes;
}

function givePlace({ free }: SpillFile, place: Extent): void {
  if (place.begin === place.end) return;
  const found = free.findIndex(({ begin }) => begin > place.begin);
  const at = found < 0 ? free.length : found;
  const [before, after] = [free[at - 1], free[at]];
  const joined = { begin: before?.end === place.begin ? before.begin : place.begin, end: after?.begin === place.end ? after.end : place.end };
  const from = joined.begin < place.begin ? at - 1 : at;
  free.splice(from, Number(joined.begin < place.begin) + Number(joined.end > place.end), joined);
}

async function writeSpill(file: SpillFile, data: Uint8Array, position: number): Promise<void> {
  try {
    await writeFully(file.fd, [data], position);
  } catch (error) {
    throw systemError('no-temporary-space', 'write failed', file.label, error, `${data.length} more bytes were needed there: name a directory with more room with -T`);
  }
}

async function readExactly(file: SpillFile, target: Uint8Array, position: number): Promise<void> {
  const count = await readFilling(file.fd, target, position)
    .catch((error: unknown) => { throw systemError('read-failed', 'read failed', file.label, error); });
  if (count < target.length) throw new GpusortError('read-failed', `read failed: ${file.label}: a temporary file became shorter`);
}
