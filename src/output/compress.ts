/**
 * Compresses the output. Text is gathered in groups, codec threads compress these independently of each other, and the
 * results are written in order: the bytes do not depend on the number of threads. Records may span blocks of BGZF, as
 * the SAM specification allows.
 */

import { BLOCK_TEXT, END_BLOCK } from '../codecs/bgzf.js';
import { type CompressedGroup, compressedRoom, GROUP_TEXT } from '../codecs/tasks.js';
import { CodecThreads } from '../codecs/threads.js';
import { ZSTD_VERSIONS, zstd } from '../codecs/zstd.js';
import type { BlockWriter } from '../engines/contract.js';
import type { CompressedForm, OutputCompression } from '../job/job.js';
import { GpusortError } from '../system/errors.js';
import { InOrder } from '../system/in-order.js';
import { copyBytes } from '../system/memory.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import type { Filter } from './filter.js';
import type { IndexFile } from './index-file.js';
import { placeAll, withOthers } from './put-in-place.js';
import type { Saving } from './saving.js';
import type { Destination } from './writers.js';

export interface CompressOptions {
  readonly kind: CompressedForm;
  /** 0 (stored) to 9; zstd: 1 to 19. */
  readonly level: number;
  /** Codec threads; 0: the calling thread compresses. */
  readonly threads: number;
  /**
   * Called for each BGZF block in the order of the output, before it is written: bytes of its text and of the block.
   * The end block is not among them.
   */
  readonly onBlock?: (textBytes: number, blockBytes: number) => void;
  /** Whether other files follow: BGZF then gets no end block. */
  readonly isPart?: boolean;
}

/** A filter that holds threads and memory until it has finished, failed or is closed. */
interface Compressor extends Filter {
  close(): Promise<void>;
}

/** The filter that compresses before `write`. Throws `usage` if this version of Node lacks zstd. */
export function compressing(options: CompressOptions, write: BlockWriter): Compressor {
  if (options.kind === 'zstd' && zstd() === null)
    throw new GpusortError('usage', 'this Node cannot write zstd', {
      hint: `Use ${ZSTD_VERSIONS}, or a pipeline: gpusort ... | zstd > FILE`,
    });
  const compressor = new OrderedCompressor(options, write);
  return {
    write: (block) => compressor.write(block),
    finish: () => compressor.finish(),
    over: () => false,
    close: () => compressor.close(),
  };
}

/** A group that is compressed: its text and the result. */
interface Group {
  readonly from: SharedArrayBuffer;
  readonly bytes: number;
  readonly target: SharedArrayBuffer;
  readonly outcome: CompressedGroup;
}

class OrderedCompressor {
  private readonly options: CompressOptions;
  private readonly output: BlockWriter;
  private readonly codecs: CodecThreads;
  private readonly groupText: number;
  private readonly texts: ReturnType<typeof createSharedMemory>;
  private readonly targets: ReturnType<typeof createSharedMemory>;
  /** The group that is being filled; null: it is empty. */
  private text: SharedArrayBuffer | null = null;
  private filled = 0;
  private groups = 0;
  private readonly compressed: InOrder<Group>;
  private lastWrite: Promise<void> = Promise.resolve();
  /** The last write to the output. Its memory and its file may be given up only after it. */
  private writing: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(options: CompressOptions, output: BlockWriter) {
    this.options = options;
    this.output = output;
    this.codecs = new CodecThreads(options.threads);
    this.groupText = GROUP_TEXT[options.kind];
    // While all threads work, as many groups again are ready for them, and one is written.
    const most = 2 * options.threads + 1;
    this.compressed = new InOrder(most - 1, (group) => this.writeGroup(group));
    this.texts = createSharedMemory(most);
    this.targets = createSharedMemory(most);
  }

  write(block: Uint8Array): Promise<void> {
    return (this.lastWrite = this.lastWrite.then(() => this.append(block)));
  }

  async finish(): Promise<void> {
    const { kind, isPart = false } = this.options;
    try {
      await this.lastWrite;
      // An empty file of gzip or zstd has one member or frame, without text.
      if (this.filled > 0 || (this.groups === 0 && kind !== 'bgzf' && !isPart)) await this.compress();
      await this.compressed.taken();
      if (kind === 'bgzf' && !isPart) await this.output(END_BLOCK);
    } finally {
      await this.close();
    }
  }

  /** Nothing is written afterwards, even if other streams keep the threads busy. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.codecs.close();
    await this.writing.catch(() => {
      /* handled by the writer */
    });
  }

  private async append(block: Uint8Array): Promise<void> {
    for (let at = 0; at < block.length; ) {
      this.text ??= this.texts.take(this.groupText);
      const part = block.subarray(at, at + this.groupText - this.filled);
      copyBytes(part, new Uint8Array(this.text), this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled < this.groupText) continue;
      this.codecs.start();
      await this.compress();
    }
  }

  /** Hands the group to the codec threads, and waits until there is room for the next one. */
  private async compress(): Promise<void> {
    const { kind: form, level } = this.options;
    const from = this.text ?? this.texts.take(this.groupText);
    const bytes = this.filled;
    this.text = null;
    this.filled = 0;
    this.groups++;
    const target = this.targets.take(compressedRoom(form, this.groupText));
    const compressed = this.codecs.perform({ kind: 'compress', form, level, from, bytes, target });
    this.compressed.put(compressed.then((outcome) => ({ from, bytes, target, outcome: outcome as CompressedGroup })));
    await this.compressed.room();
  }

  private async writeGroup({ from, bytes, target, outcome }: Group): Promise<void> {
    this.texts.give(from);
    let left = bytes;
    if (this.options.onBlock !== undefined)
      for (const length of outcome.blocks) {
        this.options.onBlock(Math.min(left, BLOCK_TEXT), length);
        left -= BLOCK_TEXT;
      }
    if (this.isClosed) return;
    await (this.writing = this.output(new Uint8Array(target, 0, outcome.bytes)));
    this.targets.give(target);
  }
}

/**
 * `threads` compress. The file and its index are complete before either is put in place. `saving` receives the sizes.
 */
export function compressedDestination(
  inner: Destination,
  form: OutputCompression & { readonly threads: number },
  index: IndexFile | null,
  saving: Saving | null,
): Destination {
  let text = 0;
  let written = 0;
  const filter = compressing(
    {
      ...form,
      ...(index !== null && { onBlock: (text, compressed) => index.block(text, compressed) }),
    },
    async (block) => {
      written += block.length;
      await inner.write(block);
    },
  );
  return {
    label: inner.label,
    file: null,
    expect: () => {},
    write: async (block) => {
      text += block.length;
      index?.text(block);
      await filter.write(block);
    },
    complete: async () => {
      await filter.finish();
      saving?.wrote(text, written);
      await inner.complete(written);
      try {
        await index?.complete();
      } catch (error) {
        throw withOthers(error, [], [inner]);
      }
    },
    check: () => inner.check(),
    place: () => (index === null ? inner.place() : placeAll([inner, index.file])),
    keep: () => inner.keep(),
    abort: async () => {
      await filter.close();
      await inner.abort();
      await index?.file.abort();
    },
  };
}
