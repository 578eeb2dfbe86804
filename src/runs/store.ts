/**
 * Storage for bytes that do not fit in the engine: host memory up to a limit, then one file in each temporary
 * directory, compressed if --compress-program is given. It does not know records.
 */
import type { FileName, Resources } from '../job/job.js';
import type { Recorder } from '../report/recorder.js';
import { mostWorkers } from '../system/limits.js';
import { type BlobWriter, memoryBlob } from './blob.js';
import { CompressedBlobs, CompressProgram } from './compress.js';
import { SpillWriter } from './spill-blob.js';
import { SpillFile } from './spill-file.js';

/**
 * Bytes covered by one checksum: a small enough fraction of the blob that a few hundred small reads do not read all of
 * it. A block costs 4 bytes of memory. A blob retains at most two partly read blocks.
 */
const BLOCK_BYTES = { least: 16 << 10, most: 64 << 10 } as const;
const BLOCKS = 1024;

/** The block size of a blob, a power of two. `bytes`: null if its size is not known. */
function blockBytes(bytes: number | null): number {
  const part = bytes === null ? Infinity : 2 ** Math.floor(Math.log2(bytes / BLOCKS));
  return Math.max(BLOCK_BYTES.least, Math.min(BLOCK_BYTES.most, part));
}

export class TemporaryStore {
  private readonly directories: readonly Buffer[];
  /** Set if files are compressed. `compressed` then creates the blobs. */
  private readonly program: CompressProgram | null;
  private readonly compressed: CompressedBlobs | null;
  private readonly recorder: Recorder | null;
  private memoryLeft = 0;
  /** One file per directory, opened at first use. */
  private readonly files: (SpillFile | undefined)[] = [];
  private turn = 0;

  /** `compressing`: the program for temporary files, and the maximum number of its processes at once. */
  constructor(
    directories: readonly FileName[],
    compressing: { readonly program: Buffer; readonly width: number } | null = null,
    recorder: Recorder | null = null,
  ) {
    this.recorder = recorder;
    const given = directories.length > 0 ? directories : [null];
    this.directories = given.map((name) => name ?? Buffer.from('/tmp'));
    this.program = compressing && new CompressProgram(compressing.program, compressing.width);
    this.compressed = this.program && new CompressedBlobs(this.program, (bytes) => this.inFile(bytes));
  }

  /** Sets how many bytes may stay in host memory. Called before anything is stored. */
  allowMemory(bytes: number): void {
    this.memoryLeft = bytes;
  }

  /** Creates a blob of exactly `bytes` bytes, or of unknown size (always in a file). */
  create(bytes: number | null): BlobWriter {
    if (bytes !== null && bytes <= this.memoryLeft) {
      this.memoryLeft -= bytes;
      return memoryBlob(bytes, () => {
        this.memoryLeft += bytes;
      });
    }
    return this.compressed?.open() ?? this.inFile(bytes);
  }

  /** Stops everything under way and closes all files. */
  close(): void {
    this.program?.close();
    for (const file of this.files) file?.close();
  }

  private inFile(bytes: number | null): BlobWriter {
    return new SpillWriter(this.nextFile(), bytes, blockBytes(bytes));
  }

  /** The file of the next directory, in round-robin order. */
  private nextFile(): SpillFile {
    const i = this.turn++ % this.directories.length;
    return (this.files[i] ??= new SpillFile(this.directories[i], this.recorder));
  }
}

/** The store of a job. `processors` returns the number of processors; it is called only if the number matters. */
export function openStore(
  { temporaryDirectories, compressProgram, parallel }: Resources,
  processors: () => number,
  recorder: Recorder,
): TemporaryStore {
  return new TemporaryStore(
    temporaryDirectories,
    compressProgram && {
      program: compressProgram,
      width: Math.max(1, Math.min(mostWorkers(), parallel ?? processors())),
    },
    recorder,
  );
}
