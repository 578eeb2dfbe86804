/**
 * Takes files of BAM stretch by stretch, inflates them into texts, and finds the records of these. All texts stay in
 * device memory.
 */

import type { BamInput } from '../../../contract/bam-sort.js';
import { Declined } from '../../../contract/engine.js';
import { formatBytes } from '../../../report/units.js';
import { GpusortError } from '../../../system/errors.js';
import { InflatedTexts, loadInflatedTexts } from '../bgzf/inflated-texts.js';
import type { Gpu } from '../device/device.js';
import type { DevicePool, Scratch } from '../device/pool.js';
import { type Alignments, frameAlignments, loadFrame } from './frame.js';

/** The memory reserved for a text, relative to the first one. Buffers may be a quarter larger than a request. */
const RESERVED = 1.1;
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

/** Compiles what `BamTexts` needs. */
export function loadTexts(gpu: Gpu): Promise<unknown>[] {
  return [loadInflatedTexts(gpu), loadFrame(gpu)];
}

export class BamTexts {
  private readonly pool: DevicePool;
  private readonly input: DeviceBamInput;
  private readonly sizes: TextSizes;
  /** In the order of the input. Their buffers belong to the scratch memory of the sort. */
  readonly texts: FramedText[] = [];
  private readonly inflated: InflatedTexts;
  private count = 0;

  constructor(pool: DevicePool, scratch: Scratch, input: DeviceBamInput, sizes: TextSizes) {
    this.pool = pool;
    this.input = input;
    this.sizes = sizes;
    let records: Alignments;
    this.inflated = new InflatedTexts(scratch, {
      groupBytes: sizes.text,
      textBytes: sizes.binding,
      leastRate: input.leastRate,
      cut: async (text) => {
        records = await frameAlignments(scratch, text, input.references);
        return records.end;
      },
      take: async ({ text, bytes }) => {
        this.texts.push({ ...records, text: scratch.add(text), textBytes: bytes, base: this.count });
        this.count += records.count;
        if (this.count > MOST_RECORDS) throw new Declined('there are too many records');
      },
    });
  }

  /** Begins a file whose first `headerBytes` inflated bytes are its header. */
  beginFile(headerBytes: number): void {
    this.inflated.begin(headerBytes);
  }

  /** Takes the file's next `bytes` bytes, which begin at byte REST_BYTES of `compressed`. Throws Declined. */
  async add(compressed: GPUBuffer, bytes: number): Promise<void> {
    const isFirst = this.texts.length === 0;
    await this.inflated.add(compressed, bytes);
    if (isFirst) await this.reserve(bytes);
    this.checkKept();
  }

  /** Ends a file. Throws Declined if it is cut off. */
  endFile(): Promise<void> {
    return this.inflated.end(null);
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
