/**
 * Sorts BAM, or SAM as BAM, by coordinate or name without leaving the device: it inflates or converts, finds records,
 * sorts their keys, and writes the records in order, compressed if requested. All text stays in device memory, so there
 * are no runs and no merges.
 *
 *     stretches of the file -> blocks -> texts -> records    bam-texts.ts, frame.ts
 *     stretches of the file -> lines -> texts of records     sam-texts.ts
 *       -> keys -> order                                     order.ts, names.ts
 *       -> ranges of the output -> blocks                    ranges.ts
 */

import type { BamSort, PreparedBam } from '../../../contract/bam-sort.js';
import type { Chunk } from '../../../contract/engine.js';
import type { Recorder } from '../../../report/recorder.js';
import { allOver, quiet } from '../../../system/promises.js';
import type { Gpu } from '../device/device.js';
import { DevicePool, Scratch } from '../device/pool.js';
import { watchDevice } from '../device/timer.js';
import { COMPRESSED_BUFFERS, ReadRing, readBlockBytes } from '../engine/emit.js';
import { DeviceText, UploadRing } from '../engine/upload.js';
import { BamTexts, loadBamTexts } from './bam-texts.js';
import { loadOrderOf, orderOf, wordsOfRecord } from './order.js';
import { loadRanges, RecordWriter, rangesOf } from './ranges.js';
import { loadSamTexts, SamTexts } from './sam-texts.js';
import { type DeviceBamInput, FramedTexts, type TextMaker } from './texts.js';

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
  /** Of a line of SAM, a multiple of 4. A thread converts a line, so a long one keeps others waiting. */
  readonly line: number;
}

/** A range is small, so that it can be read back while the next one is compressed. */
const SIZES: AlignmentSizes = {
  ...{ stretch: 2 ** 28, piece: 2 ** 23, text: 2 ** 31 - 2 ** 16, range: 2 ** 27 },
  line: 2 ** 22,
};

/**
 * The share of a binding that text may have: blocks that do not compress are larger than their text by a
 * two-thousandth.
 */
const BINDING_SHARE = 0.999;
/** Other bytes in a binding: the end of the previous stretch or text, and what kernels may read past the end. */
const BINDING_PADDING = 2 ** 18;

/** Compiles what a sort needs; settles once everything has compiled or failed. */
export function loadBamSort(
  gpu: Gpu,
  { level, rows, contigs }: Pick<DeviceBamInput, 'level' | 'rows' | 'contigs'>,
): Promise<unknown> {
  const texts = contigs === null ? loadBamTexts(gpu) : loadSamTexts(gpu);
  return allOver([texts, loadOrderOf(gpu, rows), ...loadRanges(gpu, level)]);
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
  private readonly texts: FramedTexts;
  private readonly maker: TextMaker;
  /** Bytes of the files that were added. */
  private readBytes = 0;
  private readonly input: DeviceBamInput;
  private readonly loading: Promise<unknown>;

  /** `close` also closes `gpu`. `sizes`: for tests. */
  constructor(gpu: Gpu, input: DeviceBamInput, recorder: Recorder, sizes: Partial<AlignmentSizes> = {}) {
    this.gpu = gpu;
    this.endWatch = watchDevice(gpu, recorder);
    // A multiple of 4.
    this.mostBytes = 4 * Math.floor((gpu.maxBindingBytes * BINDING_SHARE) / 4) - BINDING_PADDING;
    const { stretch, piece, text, range, line } = { ...SIZES, ...sizes };
    const atMost = (bytes: number): number => Math.min(bytes, this.mostBytes);
    this.sizes = { stretch: atMost(stretch), piece, text: atMost(text), range: atMost(range), line };
    if (input.contigs !== null) this.sizes = { ...this.sizes, stretch: linesFor(this.mostBytes, this.sizes) };
    this.stretchBytes = this.sizes.stretch;
    this.pieceBytes = piece;
    this.pool = new DevicePool(gpu);
    this.scratch = new Scratch(this.pool);
    this.uploads = new UploadRing(gpu, piece, this.stretchBytes, recorder);
    this.reads = new ReadRing(gpu, recorder, readBlockBytes(this.sizes.range), COMPRESSED_BUFFERS);
    this.input = input;
    const textSizes = { ...this.sizes, binding: this.mostBytes, recordWords: wordsOfRecord(input.rows) };
    this.texts = new FramedTexts(this.pool, this.scratch, input, textSizes);
    this.maker =
      input.contigs === null
        ? new BamTexts(this.scratch, input, textSizes, this.texts)
        : new SamTexts(this.scratch, input.contigs, line, this.texts);
    this.loading = loadBamSort(gpu, input);
    // The first stretch reports a failure.
    quiet(this.loading);
  }

  begin(headerBytes: number): void {
    this.maker.beginFile(headerBytes);
  }

  openStretch(bytes: number): { readonly chunk: Chunk; readonly from: number } {
    const { restBytes } = this.maker;
    const capacity = restBytes + bytes;
    return { chunk: new DeviceText(this.gpu, this.uploads, this.pool, capacity, capacity), from: restBytes };
  }

  async add(chunk: Chunk, bytes: number): Promise<void> {
    const stretch = await (chunk as DeviceText).take();
    this.readBytes += bytes;
    try {
      await this.loading;
      await this.maker.add(stretch, bytes);
    } finally {
      this.pool.give(stretch);
    }
  }

  async end(): Promise<void> {
    await this.maker.endFile();
  }

  async prepare(): Promise<PreparedBam> {
    const { texts } = this.texts;
    if (texts.every(({ count }) => count === 0))
      return { records: 0, bytes: 0, sourceBytes: 0, write: () => Promise.resolve() };
    const records = await orderOf(this.pool, this.scratch, texts, this.input.rows);
    const ranges = await rangesOf(this.scratch, records, this.sizes.range, this.mostBytes);
    const writer = new RecordWriter(this.scratch, this.reads, records, this.input.level);
    const bytes = ranges.reduce((sum, range) => sum + range.bytes, 0);
    const sourceBytes = this.input.contigs === null ? bytes : this.readBytes;
    return { records: records.count, bytes, sourceBytes, write: (output) => writer.write(ranges, output) };
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

/** Bytes of lines in a stretch: a record of BAM has at most twice the bytes of its line, and a binding holds all. */
function linesFor(bindingBytes: number, { stretch, line }: AlignmentSizes): number {
  return Math.min(stretch, 4 * Math.floor(bindingBytes / 8) - line);
}
