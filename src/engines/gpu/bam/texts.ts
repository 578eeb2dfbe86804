/** The texts of a sort of BAM, and their records. All texts stay in device memory. */

import type { BamInput } from '../../../contract/bam-sort.js';
import { Declined } from '../../../contract/engine.js';
import { formatBytes } from '../../../report/units.js';
import { GpusortError } from '../../../system/errors.js';
import type { DevicePool, Scratch } from '../device/pool.js';
import type { Alignments } from './frame.js';

/** The memory reserved for a text, relative to the first one. Buffers may be a quarter larger than a request. */
const RESERVED = 1.1;
/** Sorts number records in 28 bits. */
const MOST_RECORDS = 2 ** 28 - 1;

export interface DeviceBamInput extends BamInput {
  /** Bytes of text that the device must inflate in a second; otherwise the file is declined. 0: it need not be fast. */
  readonly leastRate: number;
  /** At which the device compresses, if it does. */
  readonly level: number;
}

/** Maximum bytes of a stretch of the file, of a text, and of a binding, without what kernels read past the end. */
export interface TextSizes {
  readonly stretch: number;
  readonly text: number;
  readonly binding: number;
  /** Of a line of SAM. */
  readonly line: number;
  /** Words for each record in each array of a sort (order.ts). */
  readonly recordWords: readonly number[];
}

/** A text and its records, whose numbers begin at `base`. */
export interface FramedText extends Omit<Alignments, 'end'> {
  readonly text: GPUBuffer;
  readonly textBytes: number;
  readonly base: number;
}

/** Makes texts of the stretches of files. */
export interface TextMaker {
  /** Bytes before a stretch in its buffer: room for what the previous stretch leaves over. */
  readonly restBytes: number;
  /** Begins a file whose first `headerBytes` inflated bytes are its header. */
  beginFile(headerBytes: number): void;
  /** Takes the file's next `bytes` bytes, which begin at byte `restBytes` of `stretch`. Throws Declined. */
  add(stretch: GPUBuffer, bytes: number): Promise<void>;
  /** Ends a file. Throws Declined if it is cut off. */
  endFile(): Promise<void>;
}

/** The texts so far, in the order of the input. Their buffers belong to the scratch memory of the sort. */
export class FramedTexts {
  readonly texts: FramedText[] = [];
  private readonly pool: DevicePool;
  private readonly scratch: Scratch;
  private readonly input: DeviceBamInput;
  private readonly sizes: TextSizes;
  private count = 0;

  constructor(pool: DevicePool, scratch: Scratch, input: DeviceBamInput, sizes: TextSizes) {
    this.pool = pool;
    this.scratch = scratch;
    this.input = input;
    this.sizes = sizes;
  }

  /** Takes a text, whose buffer nobody owns, and its records. Throws Declined. */
  take(text: GPUBuffer, textBytes: number, { count, starts, sizes }: Omit<Alignments, 'end'>): void {
    this.texts.push({ count, starts, sizes, text: this.scratch.add(text), textBytes, base: this.count });
    this.count += count;
    if (this.count > MOST_RECORDS) throw new Declined('there are too many records');
  }

  /**
   * Called after the first stretch, of `bytes` bytes: takes memory for the others, supposing that they resemble it. So
   * a file that is too large is recognized before it is read. Of inputs of unknown size, each text takes memory when it
   * arrives. Throws `out-of-device-memory`.
   */
  async reserve(bytes: number): Promise<void> {
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
