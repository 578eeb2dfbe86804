/**
 * Inflates inputs of BGZF on the device, and sorts each text that fills a chunk. Compressed bytes are sent; their text
 * never lies on the host.
 */
import type { Chunk, EngineInflater, InflatedRecords, Sorted, StretchMemory } from '../../../contract/engine.js';
import type { FormatName } from '../../../job/job.js';
import { quiet } from '../../../system/promises.js';
import { InflatedTexts, loadInflatedTexts, REST_BYTES } from '../bgzf/inflated-texts.js';
import type { Gpu } from '../device/device.js';
import { Scratch } from '../device/pool.js';
import { type DeviceFraming, endOfRecord, frameText, loadFraming } from '../records/frame.js';
import type { Chunks } from './chunks.js';
import type { Stages } from './stages.js';
import { DeviceText } from './upload.js';

/** Bytes of a stretch of the stored input: some chunks of text. */
const STRETCH_BYTES = 2 ** 27;
/** Other bytes in a binding: the end of the previous stretch, and what kernels may read past the end. */
const BINDING_PADDING = 2 ** 18;

/** The share of a chunk that blocks fill; the rest is room for a record that began in the chunk before. */
const GROUP_SHARE = 15 / 16;

interface InflaterOptions {
  readonly chunkBytes: number;
  readonly pieceBytes: number;
  /** The format of inputs; null: they have none. */
  readonly source: FormatName | null;
  /** Bytes of text that the device must inflate in a second. */
  readonly leastRate: number;
  /** The kernels of `loadInflater`. */
  readonly inflating: Promise<unknown> | null;
  /** Called for each chunk: the kernels that sort it. */
  nextChunk(): Promise<unknown>;
}

/** Compiles what inflating needs. */
export function loadInflater(gpu: Gpu, framing: DeviceFraming): Promise<unknown> {
  return Promise.all([loadInflatedTexts(gpu), loadFraming(gpu, framing)]);
}

export class DeviceInflater implements EngineInflater {
  readonly stretchBytes: number;
  readonly pieceBytes: number;
  private readonly stages: Stages;
  private readonly framing: DeviceFraming;
  private readonly scratch: Scratch;
  private readonly source: InflatedTexts;
  private readonly inflating: Promise<unknown> | null;
  /** Settles when the last text is sorted. */
  private ordering: Promise<void> = Promise.resolve();
  /** The results of the stretch that is added. */
  private texts: Sorted[] = [];
  private bytes = 0;

  constructor(stages: Stages, chunks: Chunks, options: InflaterOptions) {
    const { chunkBytes, pieceBytes, source, leastRate, inflating, nextChunk } = options;
    const framing = { format: stages.ordering.format, source };
    this.inflating = inflating;
    this.stages = stages;
    this.framing = framing;
    this.pieceBytes = pieceBytes;
    this.stretchBytes = Math.min(STRETCH_BYTES, stages.gpu.maxBindingBytes - BINDING_PADDING);
    this.scratch = new Scratch(stages.pool);
    this.source = new InflatedTexts(this.scratch, {
      groupBytes: chunkBytes * GROUP_SHARE,
      textBytes: chunkBytes,
      leastRate,
      cut: (text) => frameText(this.scratch, text, framing),
      take: async ({ text, bytes }) => {
        await nextChunk();
        // One text is sorted while the next one is inflated.
        await this.ordering;
        this.ordering = chunks.orderOnDevice(text, bytes).then((texts) => {
          this.texts.push(...texts);
          this.bytes += bytes;
        });
        // Awaited for the next text, or at the end of the stretch.
        quiet(this.ordering);
      },
    });
  }

  begin(headerBytes: number): void {
    this.source.begin(headerBytes);
  }

  openStretch(bytes: number): StretchMemory {
    const { gpu, uploads, pool } = this.stages;
    const capacity = REST_BYTES + bytes;
    return { chunk: new DeviceText(gpu, uploads, pool, capacity, capacity), from: REST_BYTES };
  }

  async add(chunk: Chunk, bytes: number): Promise<InflatedRecords> {
    const compressed = await (chunk as DeviceText).take();
    try {
      await this.inflating;
      return await this.ordered(this.source.add(compressed, bytes));
    } finally {
      this.stages.pool.give(compressed);
    }
  }

  end(): Promise<InflatedRecords> {
    return this.ordered(this.source.end(endOfRecord(this.framing)));
  }

  /** Returns all buffers. */
  close(): void {
    this.scratch.end();
  }

  /** What was sorted meanwhile. */
  private async ordered(work: Promise<void>): Promise<InflatedRecords> {
    try {
      await work;
      await this.ordering;
      return { texts: this.texts, bytes: this.bytes };
    } catch (error) {
      await quiet(this.ordering);
      for (const text of this.texts) text.release();
      throw error;
    } finally {
      this.texts = [];
      this.bytes = 0;
    }
  }
}
