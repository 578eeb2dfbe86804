/**
 * Compresses the output. Text is gathered in groups, codec threads compress these independently of each other, and the
 * results are written in order: the bytes do not depend on the number of threads. Records may span blocks of BGZF, as
 * the SAM specification allows.
 */

import { blockSizes, END_BLOCK, textOf } from '../codecs/bgzf.js';
import { type Compressed, type GroupCodec, openGroupCodec } from '../codecs/group-codec.js';
import type { BlockOutput } from '../contract/bam-sort.js';
import type { BlockSize, BlockWriter } from '../contract/engine.js';
import type { CompressedForm, OutputCompression } from '../job/job.js';
import { OrderedStage, type StageStream } from '../system/ordered-stage.js';
import type { Filter } from './filter.js';
import type { IndexFile } from './index-file.js';
import { placeAll, withOthers } from './put-in-place.js';
import type { Saving } from './saving.js';
import type { Destination } from './writers.js';

export interface CompressOptions {
  readonly kind: CompressedForm;
  /** For gzip 0 (stored) to 9; LEVELS in src/cli/parse/genomics.ts lists the levels of all compressions. */
  readonly level: number;
  /** Codec threads; 0: the calling thread compresses. */
  readonly threads: number;
  /** Called with the size of each BGZF block, in output order, before it is written. Not called for the end block. */
  readonly onBlock?: (block: BlockSize) => void;
  /** Whether more files of the same output follow: BGZF then gets no end block. */
  readonly isPart?: boolean;
}

/** A filter that holds threads and memory until it has finished, failed or is closed. */
interface Compressor extends Filter {
  /** Passes on all text taken so far. */
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

/** A compressed group. `text`: the bytes of its text. */
interface CompressedText extends Compressed {
  readonly text: number;
}

class OrderedCompressor {
  private readonly options: CompressOptions;
  private readonly output: BlockWriter;
  private readonly codec: GroupCodec;
  private readonly stage: OrderedStage<CompressedText>;
  private readonly text: StageStream<CompressedText>;
  private isEmpty = true;

  constructor(options: CompressOptions, output: BlockWriter) {
    this.options = options;
    this.output = output;
    // While all threads work, an equal number of groups waits for them.
    const atOnce = 2 * options.threads;
    this.codec = openGroupCodec(options.kind, options.level, options.threads, atOnce + 1);
    this.stage = new OrderedStage({
      groupBytes: this.codec.groupText,
      atOnce,
      begin: (text, bytes) => ({ bytes, result: this.compress(text, bytes) }),
      take: (compressed) => this.put(compressed),
      stop: () => this.codec.close(),
    });
    this.text = this.stage.stream();
  }

  write(block: Uint8Array): Promise<void> {
    return this.text.write(block);
  }

  /** Compresses and writes the text so far; its last group may be short. */
  async flush(): Promise<void> {
    await this.text.flush();
    await this.stage.taken();
  }

  async finish(): Promise<void> {
    const { kind, isPart = false } = this.options;
    try {
      await this.text.flush();
      // An empty file has one member, stream or frame, without text; BGZF has its end block.
      if (this.isEmpty && kind !== 'bgzf' && !isPart) await this.stage.put(this.compress(new SharedArrayBuffer(0), 0));
      await this.stage.taken();
      if (kind === 'bgzf' && !isPart) await this.output(END_BLOCK);
    } finally {
      await this.close();
    }
  }

  /** Nothing is written afterwards, even if other streams keep the threads busy. */
  close(): Promise<void> {
    return this.stage.close();
  }

  private async compress(text: SharedArrayBuffer, bytes: number): Promise<CompressedText> {
    this.isEmpty = false;
    if (bytes === this.codec.groupText) this.codec.start();
    return { text: bytes, ...(await this.codec.compress(text, bytes)) };
  }

  private async put({ text, bytes, blocks, release }: CompressedText): Promise<void> {
    const { onBlock } = this.options;
    if (onBlock !== undefined) for (const block of blockSizes(text, blocks)) onBlock(block);
    await this.output(bytes);
    release();
  }
}

/**
 * `threads`: the number of threads that compress. The file and its index are complete before either is put in place.
 * `saving` receives the sizes.
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
  const onBlock = (block: BlockSize): void => index?.block(block);
  const filter = compressing({ ...form, ...(index !== null && { onBlock }) }, writeInner);
  /** Settles once all text so far has been passed on; null: some may wait in the filter. */
  let flushed: Promise<void> | null = null;
  /** Bytes of text that the index knows. If blocks were not written after all, their text comes again. */
  let indexed = 0;
  const addToIndex = (block: Uint8Array): void => {
    index?.text(block);
    indexed += block.length;
  };
  const write = async (block: Uint8Array): Promise<void> => {
    flushed = null;
    addToIndex(block.subarray(Math.max(0, indexed - text)));
    text += block.length;
    await filter.write(block);
  };
  const blocks: BlockOutput = {
    write: async (bytes, sizes) => {
      text += textOf(sizes);
      await (flushed ??= filter.flush());
      for (const block of sizes) onBlock(block);
      await writeInner(bytes);
    },
    compress: write,
    text: index === null ? null : async (block) => addToIndex(block),
    positions:
      index === null || index.positions === null
        ? null
        : (positions, textBytes) => {
            index.positions!(positions);
            indexed += textBytes;
          },
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
