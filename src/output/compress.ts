/**
 * Compresses the output. Text is gathered in groups, codec threads compress these independently of each other, and the
 * results are written in order: the bytes do not depend on the number of threads. Records may span blocks of BGZF, as
 * the SAM specification allows.
 */

import { announceBlocks, END_BLOCK } from '../codecs/bgzf.js';
import { type GroupCodec, openGroupCodec } from '../codecs/group-codec.js';
import type { BlockOutput } from '../engines/bam-sort.js';
import type { BlockWriter } from '../engines/contract.js';
import type { CompressedForm, OutputCompression } from '../job/job.js';
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
  /** For gzip 0 (stored) to 9; LEVELS in src/cli/parse/genomics.ts has all. */
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
  /** Passes on all text so far. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The filter that compresses before `write`. Throws `compress-failed` if its program cannot be run. */
export function compressing(options: CompressOptions, write: BlockWriter): Compressor {
  const compressor = new OrderedCompressor(options, write);
  return {
    write: (block) => compressor.write(block),
    flush: () => compressor.flush(),
    finish: () => compressor.finish(),
    over: () => false,
    close: () => compressor.close(),
  };
}

/** A group that is compressed: its text and the result. */
interface Group {
  readonly from: SharedArrayBuffer;
  readonly bytes: number;
  readonly outcome: Awaited<ReturnType<GroupCodec['compress']>>;
}

class OrderedCompressor {
  private readonly options: CompressOptions;
  private readonly output: BlockWriter;
  private readonly codec: GroupCodec;
  private readonly texts: ReturnType<typeof createSharedMemory>;
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
    // While all threads work, as many groups again are ready for them, and one is written.
    const most = 2 * options.threads + 1;
    this.codec = openGroupCodec(options.kind, options.level, options.threads, most);
    this.compressed = new InOrder(most - 1, (group) => this.writeGroup(group));
    this.texts = createSharedMemory(most);
  }

  write(block: Uint8Array): Promise<void> {
    return (this.lastWrite = this.lastWrite.then(() => this.append(block)));
  }

  /** Compresses and writes the text so far, whose last group may be short. */
  async flush(): Promise<void> {
    await this.lastWrite;
    if (this.filled > 0) await this.compress();
    await this.compressed.taken();
  }

  async finish(): Promise<void> {
    const { kind, isPart = false } = this.options;
    try {
      await this.lastWrite;
      // An empty file has one member, stream or frame, without text; BGZF has its end block.
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
    await this.codec.close();
    await this.writing.catch(() => {
      /* handled by the writer */
    });
  }

  private async append(block: Uint8Array): Promise<void> {
    const { groupText } = this.codec;
    for (let at = 0; at < block.length; ) {
      this.text ??= this.texts.take(groupText);
      const part = block.subarray(at, at + groupText - this.filled);
      copyBytes(part, new Uint8Array(this.text), this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled < groupText) continue;
      this.codec.start();
      await this.compress();
    }
  }

  /** Hands the group to the codec threads, and waits until there is room for the next one. */
  private async compress(): Promise<void> {
    const from = this.text ?? this.texts.take(this.codec.groupText);
    const bytes = this.filled;
    this.text = null;
    this.filled = 0;
    this.groups++;
    this.compressed.put(this.codec.compress(from, bytes).then((outcome) => ({ from, bytes, outcome })));
    await this.compressed.room();
  }

  private async writeGroup({ from, bytes, outcome }: Group): Promise<void> {
    this.texts.give(from);
    if (this.options.onBlock !== undefined) announceBlocks(bytes, outcome.blocks, this.options.onBlock);
    if (this.isClosed) return;
    await (this.writing = this.output(outcome.bytes));
    outcome.release();
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
  const writeInner = async (block: Uint8Array): Promise<void> => {
    written += block.length;
    await inner.write(block);
  };
  const onBlock = (text: number, compressed: number): void => index?.block(text, compressed);
  const filter = compressing({ ...form, ...(index !== null && { onBlock }) }, writeInner);
  const write = async (block: Uint8Array): Promise<void> => {
    text += block.length;
    index?.text(block);
    await filter.write(block);
  };
  const blocks: BlockOutput = {
    begin: async (head) => {
      await write(head);
      await filter.flush();
    },
    text: index === null ? null : async (block) => index.text(block),
    announce: (textBytes, blockBytes) => {
      text += textBytes;
      onBlock(textBytes, blockBytes);
    },
    write: writeInner,
  };
  return {
    label: inner.label,
    file: null,
    expect: () => {},
    blocks,
    write,
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
