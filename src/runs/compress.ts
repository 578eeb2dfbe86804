/**
 * Blobs compressed by a program, in independent blocks: any offset can be read without decompressing everything before
 * it. The blocks read last stay in memory, because runs are read sequentially in parts smaller than a block.
 */

import { BlockProgram } from '../codecs/block-program.js';
import { quoteName } from '../report/names.js';
import { GpusortError, systemText } from '../system/errors.js';
import { OrderedStage } from '../system/ordered-stage.js';
import { inParallel } from '../system/promises.js';
import type { Blob, BlobWriter } from './blob.js';

/**
 * Bytes of text in a block. With blocks of 256 KiB, 1 MiB and 4 MiB zstd compressed 14, 50 and 80 MB/s, lz4 22, 47 and
 * 63, gzip 16, 26 and 28 (one process at a time on a busy machine with two cores). The difference is process start-up.
 */
const BLOCK_BYTES = { least: 64 << 10, most: 1 << 20 } as const;
/** Blocks of a blob that stay in memory after they are read: a cut is searched for between two of them. */
const RECENT_BLOCKS = 2;
/** If the recent blocks of all blobs would take more memory than this, new blobs get smaller blocks. */
const RECENT_BYTES = 64 << 20;

/** Creates blobs whose blocks are compressed by `program`. Each compressed block is a blob created by `create`. */
export class CompressedBlobs {
  private readonly program: CompressProgram;
  private readonly create: (bytes: number) => BlobWriter;
  /** Blobs not yet released. */
  private live = 0;

  constructor(program: CompressProgram, create: (bytes: number) => BlobWriter) {
    this.program = program;
    this.create = create;
  }

  open(): BlobWriter {
    this.live++;
    const { program } = this;
    const blockBytes = Math.max(
      BLOCK_BYTES.least,
      Math.min(BLOCK_BYTES.most, 2 ** Math.floor(Math.log2(RECENT_BYTES / (RECENT_BLOCKS * this.live)))),
    );
    const blocks: Blob[] = [];
    const stage = new OrderedStage<Blob>({
      groupBytes: blockBytes,
      // As many blocks may be in flight as processes may run.
      atOnce: program.width,
      begin: (text, bytes) => ({ bytes, result: this.store(new Uint8Array(text, 0, bytes)) }),
      take: (block) => {
        blocks.push(block);
      },
    });
    const stream = stage.stream();
    let length = 0;
    return {
      write: (data) => {
        length += data.length;
        return stream.write(data);
      },
      finish: async () => {
        await stream.flush();
        await stage.taken();
        return new CompressedBlob(length, blockBytes, blocks, program, () => {
          this.live--;
        });
      },
    };
  }

  private async store(text: Uint8Array): Promise<Blob> {
    const block = await this.program.compress(text);
    const writer = this.create(block.length);
    await writer.write(block);
    return writer.finish();
  }
}

interface BlockBeingRead {
  readonly i: number;
  readonly text: Promise<Uint8Array>;
}

class CompressedBlob implements Blob {
  readonly bytes: number;
  /** Less than a compressed block: the blocks read last stay in memory, so small reads are cheap. */
  readonly blockBytes = BLOCK_BYTES.least;
  /** Bytes of text in a block. */
  private readonly textBytes: number;
  private readonly blocks: readonly Blob[];
  private readonly program: CompressProgram;
  private readonly released: () => void;
  /** Least recently used first. */
  private recent: readonly BlockBeingRead[] = [];

  constructor(
    bytes: number,
    textBytes: number,
    blocks: readonly Blob[],
    program: CompressProgram,
    released: () => void,
  ) {
    this.bytes = bytes;
    this.textBytes = textBytes;
    this.blocks = blocks;
    this.program = program;
    this.released = released;
  }

  async readAt(byte: number, target: Uint8Array): Promise<void> {
    const { textBytes } = this;
    const first = Math.floor(byte / textBytes);
    const count = Math.ceil((byte + target.length) / textBytes) - first;
    await inParallel(
      Array.from({ length: count }, (_, k) => first + k),
      this.program.width,
      async (i) => {
        const at = i * textBytes - byte;
        const text = await this.block(i);
        target.set(text.subarray(Math.max(0, -at), target.length - at), Math.max(0, at));
      },
    );
  }

  release(): void {
    for (const block of this.blocks) block.release();
    this.recent = [];
    this.released();
  }

  private block(i: number): Promise<Uint8Array> {
    const text = this.recent.find((block) => block.i === i)?.text ?? this.read(i);
    this.recent = [...this.recent.filter((block) => block.i !== i), { i, text }].slice(-RECENT_BLOCKS);
    return text;
  }

  private async read(i: number): Promise<Uint8Array> {
    const block = this.blocks[i];
    const compressed = Buffer.allocUnsafe(block.bytes);
    await block.readAt(0, compressed);
    return this.program.decompress(compressed, Math.min(this.textBytes, this.bytes - i * this.textBytes));
  }
}

const HINT = 'Name a program that compresses, and decompresses with -d, or omit --compress-program.';

/**
 * The program of --compress-program: `PROG` compresses its standard input, `PROG -d` decompresses it. It does not know
 * where blocks are kept.
 */
export class CompressProgram {
  /** Maximum number of processes at once. */
  readonly width: number;
  private readonly name: string;
  private readonly program: BlockProgram;

  constructor(program: Buffer, width: number) {
    this.width = width;
    this.name = quoteName(program);
    this.program = new BlockProgram(program, width, {
      cannotRun: (error) =>
        new GpusortError('compress-failed', `couldn't execute compress program ${this.name}: ${systemText(error)}`, {
          cause: error,
          hint: HINT,
        }),
      failed: (options, what) => this.failure(options, what),
    });
  }

  /** Compresses `text`. Throws `compress-failed` if the program cannot be run or fails. */
  compress(text: Uint8Array): Promise<Buffer> {
    return this.program.run(text, []);
  }

  /**
   * Decompresses a block into `bytes` bytes of text. Throws `compress-failed` if the program gives anything else or
   * fails.
   */
  async decompress(block: Uint8Array, bytes: number): Promise<Buffer> {
    const text = await this.program.run(block, ['-d']);
    if (text.length !== bytes) throw this.failure(['-d'], `gave ${text.length} bytes for a block of ${bytes}`);
    return text;
  }

  close(): void {
    this.program.close();
  }

  private failure(options: readonly string[], what: string): GpusortError {
    return new GpusortError(
      'compress-failed',
      `${[this.name, ...options.map((option) => `[${option}]`)].join(' ')} ${what}`,
      { hint: HINT },
    );
  }
}
