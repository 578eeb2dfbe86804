/**
 * Converts alignments on their way to a destination, before they are compressed and indexed: the stream that a sort
 * writes, header first, becomes that of the other format. Records are gathered in groups, which codec threads convert,
 * and the results are written in order.
 */

import type { CodecOutcome } from '../codecs/tasks.js';
import { CodecThreads } from '../codecs/threads.js';
import type { AlignmentFormat } from '../job/job.js';
import { type ConvertedRecords, cutLines, cutRecords, type RecordCutter } from '../records/convert.js';
import { convertHeader, namesIn } from '../records/convert-header.js';
import { conversionError } from '../records/convert-problem.js';
import { internalError } from '../system/errors.js';
import { InOrder } from '../system/in-order.js';
import { asBuffer, copyBytes } from '../system/memory.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import type { Destination } from './writers.js';

/** Bytes of records in a group, unless one record is longer: a message then costs little beside the work. */
const GROUP_BYTES = 1 << 20;

/** The number of the next stream, by which threads recognize its contigs. */
let streams = 0;

interface ConvertOptions {
  readonly to: AlignmentFormat;
  /** Codec threads; 0: the calling thread converts. */
  readonly threads: number;
  /** The input whose header is converted, in messages. */
  readonly label: string;
}

/**
 * `inner` with records of the other format. The first block written must be the whole header. Blocks of BGZF have
 * records that are converted already.
 */
export function convertedDestination(inner: Destination, options: ConvertOptions): Destination {
  const converter = new Converter(inner, options);
  const { blocks } = inner;
  return {
    label: inner.label,
    file: null,
    expect: () => {},
    ...(blocks && { blocks }),
    write: (block) => converter.write(block),
    complete: () => converter.complete(),
    check: () => inner.check(),
    place: () => inner.place(),
    keep: () => inner.keep(),
    abort: async () => {
      await converter.close();
      await inner.abort();
    },
  };
}

/** The facts about a stream once its header is known. */
interface Stream {
  readonly number: number;
  readonly contigs: Uint8Array;
  readonly cut: RecordCutter;
}

/** A converted group: the memory of its records, and the result. */
interface ConvertedGroup {
  readonly from: SharedArrayBuffer;
  readonly target: SharedArrayBuffer;
  readonly outcome: ConvertedRecords;
}

class Converter {
  private readonly inner: Destination;
  private readonly options: ConvertOptions;
  private readonly codecs: CodecThreads;
  private readonly texts: ReturnType<typeof createSharedMemory>;
  private readonly targets: ReturnType<typeof createSharedMemory>;
  private readonly converted: InOrder<ConvertedGroup>;
  private stream: Stream | null = null;
  /** The group that is being filled. */
  private text: SharedArrayBuffer | null = null;
  private filled = 0;
  private written = 0;
  private lastWrite: Promise<void> = Promise.resolve();
  /** The last write to the destination, which may be closed only after it. */
  private writing: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(inner: Destination, options: ConvertOptions) {
    this.inner = inner;
    this.options = options;
    this.codecs = new CodecThreads(options.threads);
    // While all threads work, as many groups again are ready for them, and one is written.
    const most = 2 * options.threads + 1;
    this.converted = new InOrder(most - 1, (group) => this.writeGroup(group));
    this.texts = createSharedMemory(most);
    this.targets = createSharedMemory(most);
  }

  write(block: Uint8Array): Promise<void> {
    return (this.lastWrite = this.lastWrite.then(() =>
      this.stream === null ? this.begin(block) : this.append(block),
    ));
  }

  async complete(): Promise<void> {
    try {
      await this.lastWrite;
      while (this.filled > 0)
        if (!(await this.flush())) throw internalError('the last record of the output has no end');
      await this.converted.taken();
    } finally {
      await this.close();
    }
    await this.inner.complete(this.written);
  }

  /** Nothing is written afterwards, even if other streams keep the threads busy. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.codecs.close();
    await this.writing.catch(() => {
      /* handled by the writer */
    });
  }

  private async begin(header: Uint8Array): Promise<void> {
    const { to, label } = this.options;
    const { bytes, contigs } = await convertHeader(to, header, label);
    // Threads read the list where it lies.
    const shared = new Uint8Array(new SharedArrayBuffer(contigs.length));
    shared.set(contigs);
    const cut = to === 'bam' ? cutLines : cutRecords(Uint32Array.from(namesIn(contigs), ({ length }) => length));
    this.stream = { number: streams++, contigs: shared, cut };
    await this.put(bytes);
  }

  private async append(block: Uint8Array): Promise<void> {
    for (let at = 0; at < block.length; ) {
      this.text ??= this.texts.take(GROUP_BYTES);
      const part = block.subarray(at, at + this.text.byteLength - this.filled);
      copyBytes(part, new Uint8Array(this.text), this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled < this.text.byteLength) continue;
      this.codecs.start();
      if (!(await this.flush())) this.grow();
    }
  }

  /** Hands the whole records of the group to a thread, and waits for room; false: there is none, only a part of one. */
  private async flush(): Promise<boolean> {
    const { number, contigs, cut } = this.stream!;
    const from = this.text!;
    const { end, room } = cut(asBuffer(new Uint8Array(from, 0, this.filled)));
    if (end === 0) return false;
    const rest = new Uint8Array(from, end, this.filled - end);
    const next = this.texts.take(Math.max(GROUP_BYTES, rest.length + 1));
    copyBytes(rest, new Uint8Array(next));
    this.text = next;
    this.filled = rest.length;
    const target = this.targets.take(room);
    const { to } = this.options;
    const done = this.codecs.perform({ kind: 'convert', to, stream: number, contigs, from, bytes: end, target });
    this.converted.put(done.then((outcome: CodecOutcome) => ({ from, target, outcome: outcome as ConvertedRecords })));
    await this.converted.room();
    return true;
  }

  /** A record longer than the group: gives it twice the memory. */
  private grow(): void {
    const larger = new SharedArrayBuffer(2 * this.text!.byteLength);
    copyBytes(new Uint8Array(this.text!), new Uint8Array(larger));
    this.text = larger;
  }

  private async writeGroup({ from, target, outcome: { bytes, unconverted } }: ConvertedGroup): Promise<void> {
    if (unconverted !== null) throw conversionError(this.options.to === 'bam' ? 'sam' : 'bam', unconverted);
    this.texts.give(from);
    await this.put(new Uint8Array(target, 0, bytes));
    this.targets.give(target);
  }

  private async put(bytes: Uint8Array): Promise<void> {
    if (this.isClosed) return;
    this.written += bytes.length;
    await (this.writing = this.inner.write(bytes));
  }
}
