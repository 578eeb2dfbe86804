/**
 * Reads and frames a regular FASTQ file in several threads. Blocks are read ahead by position into shared memory. Codec
 * threads count their newlines, which shows where in a record each block begins, and then frame the whole records in
 * each block. The calling thread frames only the records that two blocks share and, if there is a problem, everything
 * after it: its framer reports the problem as if it had read the whole file.
 */
import type { Counted } from '../codecs/tasks.js';
import { CodecThreads } from '../codecs/threads.js';
import { type FastqFramer, type FramedInside, fastqFramer } from '../records/fastq.js';
import { refuseForeign } from '../records/formats.js';
import type { ByteSource } from '../system/byte-source.js';
import { systemError } from '../system/errors.js';
import { type Begin, ReadAhead } from '../system/in-order.js';
import { quiet } from '../system/promises.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import { closeQuietly, readSome } from '../system/transfer.js';
import { type FileExtent, inputChanged, readFully } from './files.js';

/**
 * Bytes of a block: large enough that messages and borders cost little, small enough that the blocks of a few threads
 * fit in a cache.
 */
const BLOCK_BYTES = 2 << 20;
/** Maximum number of blocks read ahead. */
const MOST_BLOCKS = 24;

const NEWLINE = 10;

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

/** How many lines precede a block, and whether the last of them is still open. */
interface LinePosition {
  readonly newlines: number;
  readonly isOpen: boolean;
}

interface FramedBlock {
  readonly memory: SharedArrayBuffer;
  readonly bytes: number;
  readonly framed: FramedInside;
}

class FastqBlocks implements ByteSource {
  private readonly file: FastqFile;
  private readonly blockBytes: number;
  private readonly framer: FastqFramer;
  private readonly codecs: CodecThreads;
  private readonly ahead: ReadAhead<FramedBlock>;
  private readonly memory: ReturnType<typeof createSharedMemory>;
  private readonly reads = new Set<Promise<void>>();
  private isEnded = false;
  /** The memory of the text returned last. */
  private returned: SharedArrayBuffer | null = null;

  constructor(file: FastqFile, blockBytes: number) {
    // While all threads work, as many blocks again are being read or waiting.
    const most = Math.min(MOST_BLOCKS, 2 * file.threads + 2);
    this.file = file;
    this.blockBytes = blockBytes;
    this.framer = fastqFramer(file.label, file.lines);
    this.codecs = new CodecThreads(file.threads);
    this.codecs.start();
    this.ahead = new ReadAhead(most, (begin) => this.feed(begin));
    this.memory = createSharedMemory(most + 1);
  }

  async read(): Promise<Uint8Array | null> {
    for (;;) {
      if (this.returned !== null) this.memory.give(this.returned);
      this.returned = null;
      if (this.isEnded) return null;
      const block = await this.ahead.next();
      if (block === null) return this.end();
      this.returned = block.memory;
      const text = this.frame(new Uint8Array(block.memory, 0, block.bytes), block.framed);
      if (text.length > 0) return text;
    }
  }

  close(): void {
    this.isEnded = true;
    this.ahead.close();
    void this.codecs.close();
    // If a descriptor is closed during a read, it may belong to another file by then.
    const { fd, owned } = this.file;
    if (owned) void Promise.allSettled(this.reads).then(() => closeQuietly(fd));
  }

  /** The text of a block: frames the parts that the codec thread has not framed. */
  private frame(bytes: Uint8Array, { from, to, lines }: FramedInside): Uint8Array {
    const { framer } = this;
    const head = framer.next(bytes.subarray(0, from)).length;
    // Only empty lines may follow an empty line. The framer checks them all.
    if (!framer.isBetweenRecords) return bytes.subarray(0, head + framer.next(bytes.subarray(from)).length);
    framer.pass(lines);
    return bytes.subarray(0, to + framer.next(bytes.subarray(to)).length);
  }

  private async end(): Promise<Uint8Array | null> {
    if (this.isEnded) return null;
    this.isEnded = true;
    if (!this.file.endsInside) await this.checkEnd();
    const text = this.framer.end();
    return text.length > 0 ? text : null;
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
    let place: Promise<LinePosition> = Promise.resolve({ newlines: 0, isOpen: false });
    for (let at = extent.begin; at < extent.end; at += blockBytes) {
      const bytes = Math.min(blockBytes, extent.end - at);
      const start = async (): Promise<FramedBlock> => {
        const before = place;
        const memory = this.memory.take(blockBytes);
        place = this.count(memory, bytes, at, before);
        // Handled with this block or an earlier one.
        quiet(place);
        return { memory, bytes, framed: await this.frameInside(memory, bytes, before, place) };
      };
      // After close() no read begins.
      if (!(await begin(start))) return;
    }
  }

  /** Reads a block; resolves to the place after it. */
  private async count(
    memory: SharedArrayBuffer,
    bytes: number,
    at: number,
    before: Promise<LinePosition>,
  ): Promise<LinePosition> {
    const { fd, label, extent } = this.file;
    const block = new Uint8Array(memory, 0, bytes);
    const read = readFully(fd, block, at, label);
    this.reads.add(read);
    await read.finally(() => this.reads.delete(read));
    if (at === extent.begin) refuseForeign(block, label, 'fastq');
    const isOpen = block[bytes - 1] !== NEWLINE;
    const { newlines } = (await this.codecs.perform({ kind: 'count', from: memory, bytes })) as Counted;
    return { newlines: (await before).newlines + newlines, isOpen };
  }

  private async frameInside(
    from: SharedArrayBuffer,
    bytes: number,
    before: Promise<LinePosition>,
    counted: Promise<LinePosition>,
  ): Promise<FramedInside> {
    const { lines } = this.file;
    const { newlines, isOpen } = await before;
    await counted;
    const start = { lines, line: newlines % lines, isOpen };
    return (await this.codecs.perform({ kind: 'frame', from, bytes, start })) as FramedInside;
  }
}

/**
 * A reader of the lines of `file`, which it owns. `blockBytes`: for tests. Throws the same errors as a sequential
 * reader and framer.
 */
export function readFastqBlocks(file: FastqFile, blockBytes = BLOCK_BYTES): ByteSource {
  return new FastqBlocks(file, blockBytes);
}
