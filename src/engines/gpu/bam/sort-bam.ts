/**
 * Sorts BAM by coordinate or name without leaving the device: it inflates, finds records, sorts their keys, and writes
 * the records in order, compressed if requested. All text stays in device memory, so there are no runs and no merges.
 *
 *     stretches of the file -> blocks -> texts -> records    texts.ts, frame.ts
 *       -> keys -> order                                     order.ts, names.ts
 *       -> ranges of the output -> blocks                    ranges.ts
 */

import type { BamSort, PreparedBam } from '../../../contract/bam-sort.js';
import type { Chunk } from '../../../contract/engine.js';
import type { Recorder } from '../../../report/recorder.js';
import { allOver, quiet } from '../../../system/promises.js';
import { REST_BYTES } from '../bgzf/inflated-texts.js';
import type { Gpu } from '../device/device.js';
import { DevicePool, Scratch } from '../device/pool.js';
import { watchDevice } from '../device/timer.js';
import { COMPRESSED_BUFFERS, ReadRing, readBlockBytes } from '../engine/emit.js';
import { DeviceText, UploadRing } from '../engine/upload.js';
import { loadOrderOf, orderOf, wordsOfRecord } from './order.js';
import { loadRanges, RecordWriter, rangesOf } from './ranges.js';
import { BamTexts, type DeviceBamInput, loadTexts } from './texts.js';

/** Sizes of the units of work, in bytes. */
interface AlignmentSizes {
  /** Of the file, a multiple of 4. */
  readonly stretch: number;
  /** Of a read. */
  readonly piece: number;
  /** Of a text: less than a binding may have. */
  readonly text: number;
  /** Of a range of the output. */
  readonly range: number;
}

/** A range is small, so that it can be read back while the next one is compressed. */
const SIZES: AlignmentSizes = { stretch: 2 ** 28, piece: 2 ** 23, text: 2 ** 31 - 2 ** 16, range: 2 ** 27 };

/**
 * The share of a binding that text may have: blocks that do not compress are larger than their text by a
 * two-thousandth.
 */
const BINDING_SHARE = 0.999;
/** Other bytes in a binding: the end of the previous stretch or text, and what kernels may read past the end. */
const BINDING_PADDING = 2 ** 18;

/** Compiles what a sort needs; settles once everything has compiled or failed. */
export function loadBamSort(gpu: Gpu, { level, rows }: Pick<DeviceBamInput, 'level' | 'rows'>): Promise<unknown> {
  return allOver([...loadTexts(gpu), loadOrderOf(gpu, rows), ...loadRanges(gpu, level)]);
}

export class GpuBamSort implements BamSort {
  readonly stretchBytes: number;
  readonly pieceBytes: number;
  private readonly gpu: Gpu;
  private readonly endWatch: () => Promise<void>;
  private readonly sizes: AlignmentSizes;
  /** Maximum bytes of a stretch, a text or a range. */
  private readonly mostBytes: number;
  private readonly pool: DevicePool;
  private readonly scratch: Scratch;
  private readonly uploads: UploadRing;
  private readonly reads: ReadRing;
  private readonly texts: BamTexts;
  private readonly input: DeviceBamInput;
  private readonly loading: Promise<unknown>;

  /** `close` also closes `gpu`. `sizes`: for tests. */
  constructor(gpu: Gpu, input: DeviceBamInput, recorder: Recorder, sizes: Partial<AlignmentSizes> = {}) {
    this.gpu = gpu;
    this.endWatch = watchDevice(gpu, recorder);
    this.mostBytes = Math.floor(gpu.maxBindingBytes * BINDING_SHARE) - BINDING_PADDING;
    const { stretch, piece, text, range } = { ...SIZES, ...sizes };
    const atMost = (bytes: number): number => Math.min(bytes, this.mostBytes);
    this.sizes = { stretch: atMost(stretch), piece, text: atMost(text), range: atMost(range) };
    this.stretchBytes = this.sizes.stretch;
    this.pieceBytes = piece;
    this.pool = new DevicePool(gpu);
    this.scratch = new Scratch(this.pool);
    this.uploads = new UploadRing(gpu, piece, this.stretchBytes, recorder);
    this.reads = new ReadRing(gpu, recorder, readBlockBytes(this.sizes.range), COMPRESSED_BUFFERS);
    this.input = input;
    const textSizes = { ...this.sizes, binding: this.mostBytes, recordWords: wordsOfRecord(input.rows) };
    this.texts = new BamTexts(this.pool, this.scratch, input, textSizes);
    this.loading = loadBamSort(gpu, input);
    // The first stretch reports a failure.
    quiet(this.loading);
  }

  begin(headerBytes: number): void {
    this.texts.beginFile(headerBytes);
  }

  openStretch(bytes: number): { readonly chunk: Chunk; readonly from: number } {
    const capacity = REST_BYTES + bytes;
    return { chunk: new DeviceText(this.gpu, this.uploads, this.pool, capacity, capacity), from: REST_BYTES };
  }

  async add(chunk: Chunk, bytes: number): Promise<void> {
    const compressed = await (chunk as DeviceText).take();
    try {
      await this.loading;
      await this.texts.add(compressed, bytes);
    } finally {
      this.pool.give(compressed);
    }
  }

  async end(): Promise<void> {
    await this.texts.endFile();
  }

  async prepare(): Promise<PreparedBam> {
    const { texts } = this.texts;
    if (texts.every(({ count }) => count === 0))
      return { records: 0, bytes: 0, sourceBytes: 0, write: () => Promise.resolve() };
    const records = await orderOf(this.pool, this.scratch, texts, this.input.rows);
    const ranges = await rangesOf(this.scratch, records, this.sizes.range, this.mostBytes);
    const writer = new RecordWriter(this.scratch, this.reads, records, this.input.level);
    const bytes = ranges.reduce((sum, range) => sum + range.bytes, 0);
    return { records: records.count, bytes, sourceBytes: bytes, write: (output) => writer.write(ranges, output) };
  }

  async close(): Promise<void> {
    // `add` reports a failure.
    await quiet(this.loading);
    await this.endWatch();
    this.uploads.close();
    this.reads.close();
    this.scratch.end();
    this.pool.destroyIdle();
    this.gpu.close();
  }
}
