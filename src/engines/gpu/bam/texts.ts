/**
 * Takes a file of BAM stretch by stretch: finds its blocks, inflates them into texts, and finds the records of these.
 * An incomplete block or record at the end of a stretch or text begins the next one. All texts stay in device memory.
 */

import type { BamInput } from '../../../contract/bam-sort.js';
import { Declined } from '../../../contract/engine.js';
import { formatBytes } from '../../../report/units.js';
import { GpusortError } from '../../../system/errors.js';
import { blocksOnDevice, type DeviceBlock, loadBlocks } from '../bgzf/blocks.js';
import { inflateOnDevice, loadInflate } from '../bgzf/inflate.js';
import type { Gpu } from '../device/device.js';
import { copyWords, submitPass } from '../device/dispatch.js';
import type { DevicePool, Scratch } from '../device/pool.js';
import { copyOnDevice, loadCopySlices } from '../engine/merge-slices.js';
import { textBufferBytes } from '../records/records.js';
import { type Alignments, frameAlignments, loadFrame } from './frame.js';

/** Bytes before a stretch in its buffer: room for what the previous stretch leaves over, at most a block. */
export const REST_BYTES = 2 ** 16 + 4;
/** The memory reserved for a text, relative to the first one. Buffers may be a quarter larger than a request. */
const RESERVED = 1.1;
/** Maximum bytes of the first text. It shows how fast the device is, and a slow device must be recognized soon. */
const FIRST_TEXT = 2 ** 27;
/** Sorts number records in 28 bits. */
const MOST_RECORDS = 2 ** 28 - 1;

export interface DeviceBamInput extends BamInput {
  /** Bytes of text that the device must inflate in a second; otherwise the file is declined. 0: it need not be fast. */
  readonly leastRate: number;
  /** At which the device compresses, if it does. */
  readonly level: number;
  /** Bytes of host memory for what is kept of the input. */
  readonly memoryBytes: number;
}

/** Maximum bytes of a stretch of the file, of a text, and of a binding, without what kernels read past the end. */
interface TextSizes {
  readonly stretch: number;
  readonly text: number;
  readonly binding: number;
  /** Words for each record in each array of a sort (order.ts). */
  readonly recordWords: readonly number[];
}

/** A text and its records, whose numbers begin at `base`. */
export interface FramedText extends Alignments {
  readonly text: GPUBuffer;
  readonly textBytes: number;
  readonly base: number;
}

/** Bytes at the end of a text that the next one begins with. */
export interface Rest {
  readonly text: GPUBuffer;
  readonly at: number;
  readonly bytes: number;
}

/** Compiles what `BamTexts` needs. */
export function loadTexts(gpu: Gpu): Promise<unknown>[] {
  return [loadBlocks(gpu), loadInflate(gpu), loadFrame(gpu), loadCopySlices(gpu)];
}

export class BamTexts {
  private readonly pool: DevicePool;
  /** Owns the buffers that outlive a stretch. */
  private readonly scratch: Scratch;
  private readonly input: DeviceBamInput;
  private readonly sizes: TextSizes;
  /** In the order of the input. */
  readonly texts: FramedText[] = [];
  /** The end of the last stretch, which is an incomplete block. It ends at byte REST_BYTES of the buffer. */
  private restOfFile: { readonly buffer: GPUBuffer; readonly bytes: number } | null = null;
  private restOfText: Rest | null = null;
  /** Where the first record of the next text begins in it. */
  private begin = 0;
  private count = 0;
  private endsEmpty = false;

  constructor(pool: DevicePool, scratch: Scratch, input: DeviceBamInput, sizes: TextSizes) {
    this.pool = pool;
    this.scratch = scratch;
    this.input = input;
    this.sizes = sizes;
  }

  /** Begins a file whose first `headerBytes` inflated bytes are its header. */
  beginFile(headerBytes: number): void {
    this.begin = headerBytes;
    this.endsEmpty = false;
  }

  /** Takes the file's next `bytes` bytes, which begin at byte REST_BYTES of `compressed`. Throws Declined. */
  async add(compressed: GPUBuffer, bytes: number): Promise<void> {
    const { scratch } = this;
    const isFirst = this.texts.length === 0;
    const begin = REST_BYTES - (this.restOfFile?.bytes ?? 0);
    if (this.restOfFile !== null) {
      copyWords(scratch.gpu, { buffer: this.restOfFile.buffer, at: 0 }, { buffer: compressed, at: 0 }, REST_BYTES);
      scratch.drop(this.restOfFile.buffer);
    }
    const end = REST_BYTES + bytes;
    const found = await blocksOnDevice(scratch, compressed, begin, end);
    for (const blocks of this.groupsOf(found.blocks)) await this.addText(compressed, blocks);
    this.endsEmpty = found.blocks.length === 0 ? this.endsEmpty : found.blocks.at(-1)!.textBytes === 0;
    await this.keepRest(compressed, found.end, end);
    if (isFirst) await this.reserve(bytes);
    this.checkKept();
  }

  /** Ends a file. Throws Declined if it is cut off. */
  endFile(): void {
    if (this.restOfFile !== null || this.restOfText !== null || this.begin > 0 || !this.endsEmpty)
      throw new Declined('a file is cut off');
  }

  /** Groups blocks so that the text of each group fits a buffer. */
  private *groupsOf(blocks: readonly DeviceBlock[]): Generator<readonly DeviceBlock[], void> {
    let group: DeviceBlock[] = [];
    let bytes = 0;
    for (const block of blocks) {
      const most = this.texts.length === 0 ? Math.min(FIRST_TEXT, this.sizes.text) : this.sizes.text;
      if (group.length > 0 && bytes + block.textBytes + (this.restOfText?.bytes ?? 0) > most) {
        yield group;
        group = [];
        bytes = 0;
      }
      group.push(block);
      bytes += block.textBytes;
    }
    if (group.length > 0) yield group;
  }

  /** Keeps the incomplete block at the end of a stretch. */
  private async keepRest(compressed: GPUBuffer, from: number, end: number): Promise<void> {
    const bytes = end - from;
    if (bytes > REST_BYTES - 4) throw new Declined('a block of BGZF is not as htslib writes it');
    this.restOfFile = null;
    if (bytes === 0) return;
    const buffer = await this.scratch.take(REST_BYTES, 'rest of a stretch');
    // Only the last stretch may end inside a word, and nothing follows it.
    const words = Math.ceil(end / 4) * 4 - (from & ~3);
    copyWords(this.scratch.gpu, { buffer: compressed, at: from & ~3 }, { buffer, at: REST_BYTES - words }, words);
    this.restOfFile = { buffer, bytes };
  }

  /** Inflates blocks into a new text, after the rest of the previous text, and finds its records. */
  private async addText(compressed: GPUBuffer, blocks: readonly DeviceBlock[]): Promise<void> {
    const { restOfText: rest, scratch, input } = this;
    const { gpu } = scratch;
    const places = new Uint32Array(4 * blocks.length);
    let end = rest?.bytes ?? 0;
    blocks.forEach(({ from, to, textBytes }, i) => {
      places.set([from, to, end, end + textBytes], 4 * i);
      end += textBytes;
    });
    if (end > this.sizes.binding) throw new Declined('a record is too long');
    const text = await scratch.take(textBufferBytes(end), 'text of BAM');
    if (rest !== null)
      submitPass(gpu, 'tokenize', 'rest of a text', (pass) => {
        copyOnDevice(gpu, pass, rest, { text, at: 0 }, rest.bytes);
      });
    gpu.timer?.handles(end, 'inflate', 'tokenize');
    const start = performance.now();
    const { status, crcs } = await inflateOnDevice(scratch, compressed, places, text);
    if (this.texts.length === 0) this.checkRate((1000 * end) / (performance.now() - start));
    if (blocks.some(({ crc }, i) => status[i] !== 0 || crcs[i] !== crc)) throw new Declined('a block is damaged');
    const bam = { text, textBytes: end, places, begin: this.begin, references: input.references };
    const records = await frameAlignments(scratch, bam);
    this.texts.push({ ...records, text, textBytes: end, base: this.count });
    this.count += records.count;
    if (this.count > MOST_RECORDS) throw new Declined('there are too many records');
    this.begin = Math.max(0, records.end - end);
    this.restOfText = records.end < end ? { text, at: records.end, bytes: end - records.end } : null;
  }

  /** Throws Declined if the device inflates too slowly. `rate`: bytes of text in a second. */
  private checkRate(rate: number): void {
    if (rate >= this.input.leastRate) return;
    throw new Declined(`it inflates ${formatBytes(rate)}/s; at least ${formatBytes(this.input.leastRate)}/s is needed`);
  }

  /** Throws Declined if what is kept of the input takes too much memory of the host. */
  private checkKept(): void {
    const { keptBytes, memoryBytes } = this.input;
    if (keptBytes() > memoryBytes)
      throw new Declined(`what is kept of it, ${formatBytes(keptBytes())}, does not fit into memory`);
  }

  /**
   * Called after the first stretch, of `bytes` bytes: takes memory for the others, supposing that they resemble it. So
   * a file that is too large is recognized before it is read. Of inputs of unknown size, each text takes memory when it
   * arrives. Throws `out-of-device-memory`.
   */
  private async reserve(bytes: number): Promise<void> {
    const { texts, input, sizes, count } = this;
    if (input.bytes === null) return;
    const reserved: number[] = [];
    for (let left = input.bytes - bytes; left > 0; left -= sizes.stretch) {
      const share = Math.min(1, left / sizes.stretch) * RESERVED;
      for (const { textBytes } of texts) reserved.push(Math.min(textBytes * share, sizes.binding));
    }
    if (reserved.length === 0) return;
    const records = count * (input.bytes / bytes) * RESERVED;
    for (const words of sizes.recordWords) reserved.push(Math.min(records * 4 * words, sizes.binding));
    if (await this.pool.grow(reserved, 'text of BAM')) return;
    const text = reserved.reduce((sum, size) => sum + size, 0);
    throw new GpusortError('out-of-device-memory', `out of GPU memory: ${formatBytes(text)} for BAM and its records`);
  }
}
