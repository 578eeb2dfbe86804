/**
 * Reads and frames a regular FASTQ file in several threads. Blocks are read ahead by position into shared memory. Codec
 * threads frame the whole records in each block. The calling thread frames only the records that two blocks share and,
 * if there is a problem, everything after it: its framer reports the problem as if it had read the whole file.
 */
import type { TextPiece } from '../codecs/tasks.js';
import { CodecThreads } from '../codecs/threads.js';
import { fastqFramer } from '../records/fastq.js';
import { refuseForeign } from '../records/formats.js';
import type { PartFraming } from '../records/framed-parts.js';
import type { ByteSource } from '../system/byte-source.js';
import { systemError } from '../system/errors.js';
import { type Begin, ReadAhead } from '../system/in-order.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import { closeQuietly, readSome } from '../system/transfer.js';
import { type FileExtent, inputChanged, readFully } from './files.js';
import { framedInParts } from './framed-source.js';

/**
 * Bytes of a block: large enough that messages and borders cost little, small enough that the blocks of a few threads
 * fit in a cache.
 */
const BLOCK_BYTES = 2 << 20;
/** Maximum number of blocks read ahead. */
const MOST_BLOCKS = 24;

interface FastqFile {
  readonly fd: number;
  readonly label: string;
  /** Whether the reader closes the descriptor. */
  readonly owned: boolean;
  readonly extent: FileExtent;
  /** Whether the file continues after the extent. */
  readonly endsInside: boolean;
  /** Lines per record. */
  readonly lines: number;
  /** Number of codec threads. */
  readonly threads: number;
}

interface FramedBlock extends TextPiece {
  readonly memory: SharedArrayBuffer;
  readonly bytes: number;
}

/** The blocks of a file. `framing` says what is framed of the one returned last. */
class FastqBlocks implements ByteSource {
  private readonly file: FastqFile;
  private readonly blockBytes: number;
  private readonly framing: PartFraming;
  private readonly codecs: CodecThreads;
  private readonly ahead: ReadAhead<FramedBlock>;
  private readonly memory: ReturnType<typeof createSharedMemory>;
  private readonly reads = new Set<Promise<void>>();
  private isEnded = false;
  /** The memory of the text returned last. */
  private returned: SharedArrayBuffer | null = null;

  constructor(file: FastqFile, blockBytes: number, framing: PartFraming) {
    // While all threads work, as many blocks again are being read or waiting.
    const most = Math.min(MOST_BLOCKS, 2 * file.threads + 2);
    this.file = file;
    this.blockBytes = blockBytes;
    this.framing = framing;
    this.codecs = new CodecThreads(file.threads);
    this.codecs.start();
    this.ahead = new ReadAhead(most, (begin) => this.feed(begin));
    this.memory = createSharedMemory(most + 1);
  }

  async read(): Promise<Uint8Array | null> {
    if (this.returned !== null) this.memory.give(this.returned);
    this.returned = null;
    if (this.isEnded) return null;
    const block = await this.ahead.next();
    if (block === null) return this.end();
    this.returned = block.memory;
    this.framing.framed = block.framed;
    return new Uint8Array(block.memory, 0, block.bytes);
  }

  close(): void {
    this.isEnded = true;
    this.ahead.close();
    void this.codecs.close();
    // If a descriptor is closed during a read, it may belong to another file by then.
    const { fd, owned } = this.file;
    if (owned) void Promise.allSettled(this.reads).then(() => closeQuietly(fd));
  }

  private async end(): Promise<null> {
    const isClosed = this.isEnded;
    this.isEnded = true;
    if (!isClosed && !this.file.endsInside) await this.checkEnd();
    return null;
  }

  private async checkEnd(): Promise<void> {
    const { fd, label, extent } = this.file;
    const more = await readSome(fd, Buffer.allocUnsafe(1), extent.end).catch((error: unknown) => {
      throw systemError('read-failed', 'read failed', label, error);
    });
    if (more > 0) throw inputChanged(label, 'became longer');
  }

  /** Reads blocks until the file ends, and has them framed. */
  private async feed(begin: Begin<FramedBlock>): Promise<void> {
    const { blockBytes } = this;
    const { extent } = this.file;
    for (let at = extent.begin; at < extent.end; at += blockBytes) {
      const bytes = Math.min(blockBytes, extent.end - at);
      // After close() no read begins.
      if (!(await begin(() => this.frame(at, bytes)))) return;
    }
  }

  /** Reads a block, and has its whole records framed. */
  private async frame(at: number, bytes: number): Promise<FramedBlock> {
    const { fd, label, extent, lines } = this.file;
    const memory = this.memory.take(this.blockBytes);
    const block = new Uint8Array(memory, 0, bytes);
    const read = readFully(fd, block, at, label);
    this.reads.add(read);
    await read.finally(() => this.reads.delete(read));
    if (at === extent.begin) refuseForeign(block, label, 'fastq');
    const { framed } = (await this.codecs.perform({ kind: 'frame', from: memory, bytes, lines })) as TextPiece;
    return { memory, bytes, framed };
  }
}

/**
 * A reader of the lines of `file`, which it owns. `blockBytes`: for tests. Throws the same errors as a sequential
 * reader and framer.
 */
export function readFastqBlocks(file: FastqFile, blockBytes = BLOCK_BYTES): ByteSource {
  const framing: PartFraming = { rule: null, framed: null };
  return framedInParts(new FastqBlocks(file, blockBytes, framing), fastqFramer(file.label, file.lines), framing);
}
