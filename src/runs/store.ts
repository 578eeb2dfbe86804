/**
 * Space for bytes that do not fit in the engine: host memory as far as allowed, then one file in each temporary
 * directory, compressed where that is asked for. Knows nothing of records.
 */
import type { FileName } from '../job.js';
import type { Recorder } from '../report/stats.js';
import type { BlobWriter } from './blob.js';
import { BlockProgram } from './block-program.js';
import { CompressedBlobs } from './compress.js';
import { memoryBlob } from './memory-blob.js';
import { SpillWriter } from './spill-blob.js';
import { SpillFile } from './spill-file.js';

/**
 * Bytes that are checked at once: a part of the blob, so that a question that reads at a few hundred places does not
 * read all of it. Each block costs 4 bytes of memory, and a blob keeps two blocks at most that were read in part.
 */
const BLOCK_BYTES = { least: 16 << 10, most: 64 << 10 } as const;
const BLOCKS = 1024;

/** The size of a blob's blocks, a power of two; `bytes`: null if its size is not known. */
function blockBytes(bytes: number | null): number {
  const part = bytes === null ? Infinity : 2 ** Math.floor(Math.log2(bytes / BLOCKS));
  return Math.max(BLOCK_BYTES.least, Math.min(BLOCK_BYTES.most, part));
}

export class TemporaryStore {
  private readonly directories: readonly Buffer[];
  /** What goes to files goes through the program, and what it gives is kept here. */
  private readonly program: BlockProgram | null;
  private readonly compressed: CompressedBlobs | null;
  private readonly recorder: Recorder | null;
  private memoryLeft = 0;
  /** The file of each directory. */
  private readonly files: (SpillFile | undefined)[] = [];
  private turn = 0;

  /** `compressing`: the program that what goes to files is compressed by, and the most processes of it at once. */
  constructor(directories: readonly FileName[],
    compressing: { readonly program: Buffer; readonly width: number } | null = null, recorder: Recorder | null = null) {
    this.recorder = recorder;
    const given = directories.length > 0 ? directories : [null];
    this.directories = given.map((name) => name ?? Buffer.from('/tmp'));
    this.program = compressing && new BlockProgram(compressing.program, compressing.width);
    this.compressed = this.program && new CompressedBlobs(this.program, (bytes) => this.inFile(bytes));
  }

  /** Sets how many bytes may stay in host memory; before anything is stored. */
  allowMemory(bytes: number): void { this.memoryLeft = bytes; }

  /** Room for a blob of exactly `bytes`, or of unknown size (always in a file). */
  create(bytes: number | null): BlobWriter {
    if (bytes !== null && bytes <= this.memoryLeft) {
      this.memoryLeft -= bytes;
      return memoryBlob(bytes, () => { this.memoryLeft += bytes; });
    }
    return this.compressed?.open() ?? this.inFile(bytes);
  }

  /** Ends what is under way and gives up all files. */
  close(): void {
    this.program?.close();
    for (const file of this.files) file?.close();
  }

  private inFile(bytes: number | null): BlobWriter {
    return new SpillWriter(this.nextFile(), bytes, blockBytes(bytes));
  }

  /** The file of the directory whose turn it is. */
  private nextFile(): SpillFile {
    const i = this.turn++ % this.directories.length;
    return this.files[i] ??= new SpillFile(this.directories[i]!, this.recorder);
  }
}
