/**
 * Converts alignments on their way to a destination, before they are compressed and indexed: the stream that a sort
 * writes, header first, becomes that of the other format. Records are gathered in groups, which codec threads convert,
 * and the results are written in order.
 */

import { CodecThreads } from '../codecs/threads.js';
import type { AlignmentFormat } from '../job/job.js';
import { type ConvertedRecords, cutLines, cutRecords, type RecordCutter } from '../records/convert.js';
import { convertHeader, namesIn } from '../records/convert-header.js';
import { conversionError } from '../records/convert-problem.js';
import { internalError } from '../system/errors.js';
import { asBuffer } from '../system/memory.js';
import { type GroupWork, OrderedStage, type StageStream } from '../system/ordered-stage.js';
import { createSharedMemory, type SharedMemory } from '../system/threads/buffers.js';
import type { Destination } from './writers.js';

/**
 * Bytes of records in a group, unless one record is longer: enough that a message costs little compared with the work.
 */
const GROUP_BYTES = 1 << 20;

/** The number of the next stream. Threads recognize the stream's contigs by it. */
let streams = 0;

interface ConvertOptions {
  readonly to: AlignmentFormat;
  /** Codec threads; 0: the calling thread converts. */
  readonly threads: number;
  /** The input whose header is converted, in messages. */
  readonly label: string;
}

/**
 * Wraps `inner`: it gets records of the other format. The first block written must be the whole header. Records in
 * blocks of BGZF are already converted.
 */
export function convertedDestination(inner: Destination, options: ConvertOptions): Destination {
  const converter = new Converter(inner, options);
  const { blocks } = inner;
  return {
    label: inner.label,
    file: null,
    expect: () => {},
    ...(blocks && { blocks }),
    isConverted: true,
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

/** The bytes of converted records, which are valid until release(). */
interface Converted {
  readonly bytes: Uint8Array;
  release(): void;
}

class Converter {
  private readonly inner: Destination;
  private readonly options: ConvertOptions;
  private readonly codecs: CodecThreads;
  private readonly targets: SharedMemory;
  private readonly stage: OrderedStage<Converted>;
  private readonly records: StageStream<Converted>;
  private stream: Stream | null = null;
  /** Settles once the header is converted; null: it is the next block. */
  private begun: Promise<void> | null = null;
  private written = 0;

  constructor(inner: Destination, options: ConvertOptions) {
    this.inner = inner;
    this.options = options;
    this.codecs = new CodecThreads(options.threads);
    // While all threads work, an equal number of groups waits for them.
    const atOnce = 2 * options.threads;
    this.targets = createSharedMemory(atOnce + 1);
    this.stage = new OrderedStage({
      groupBytes: GROUP_BYTES,
      atOnce,
      begin: (text, bytes) => this.convert(text, bytes),
      take: (converted) => this.put(converted),
      stop: () => this.codecs.close(),
    });
    this.records = this.stage.stream();
  }

  write(block: Uint8Array): Promise<void> {
    if (this.begun === null) return (this.begun = this.begin(block));
    return this.begun.then(() => this.records.write(block));
  }

  async complete(): Promise<void> {
    try {
      await this.begun;
      await this.records.flush();
      if (this.records.heldBytes > 0) throw internalError('the last record of the output has no end');
      await this.stage.taken();
    } finally {
      await this.close();
    }
    await this.inner.complete(this.written);
  }

  /** Nothing is written afterwards, even if other streams keep the threads busy. */
  close(): Promise<void> {
    return this.stage.close();
  }

  private async begin(header: Uint8Array): Promise<void> {
    const { to, label } = this.options;
    const { bytes, contigs } = await convertHeader(to, header, label);
    // Threads read the list in place.
    const shared = new Uint8Array(new SharedArrayBuffer(contigs.length));
    shared.set(contigs);
    const cut = to === 'bam' ? cutLines : cutRecords(Uint32Array.from(namesIn(contigs), ({ length }) => length));
    this.stream = { number: streams++, contigs: shared, cut };
    await this.stage.put(Promise.resolve({ bytes, release: () => {} }));
  }

  /** Hands the whole records of a group to a thread; null: the group has only a part of a record. */
  private convert(from: SharedArrayBuffer, filled: number): GroupWork<Converted> | null {
    const { number: stream, contigs, cut } = this.stream!;
    const { to } = this.options;
    if (filled >= GROUP_BYTES) this.codecs.start();
    const { end: bytes, room } = cut(asBuffer(new Uint8Array(from, 0, filled)));
    if (bytes === 0) return null;
    const target = this.targets.take(room);
    const done = this.codecs.perform({ kind: 'convert', to, stream, contigs, from, bytes, target });
    const result = done.then((outcome): Converted => {
      const { bytes, unconverted } = outcome as ConvertedRecords;
      if (unconverted !== null) throw conversionError(to === 'bam' ? 'sam' : 'bam', unconverted);
      return { bytes: new Uint8Array(target, 0, bytes), release: () => this.targets.give(target) };
    });
    return { bytes, result };
  }

  private async put({ bytes, release }: Converted): Promise<void> {
    this.written += bytes.length;
    await this.inner.write(bytes);
    release();
  }
}
