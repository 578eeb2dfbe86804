/** Takes files of BAM stretch by stretch, inflates them into texts, and finds the records of these. */

import { InflatedTexts, loadInflatedTexts, REST_BYTES } from '../bgzf/inflated-texts.js';
import type { Gpu } from '../device/device.js';
import type { Scratch } from '../device/pool.js';
import { type Alignments, frameAlignments, loadFrame } from './frame.js';
import type { DeviceBamInput, FramedTexts, TextMaker, TextSizes } from './texts.js';

/** Compiles what `BamTexts` needs. */
export function loadBamTexts(gpu: Gpu): Promise<unknown> {
  return Promise.all([loadInflatedTexts(gpu), loadFrame(gpu)]);
}

export class BamTexts implements TextMaker {
  readonly restBytes = REST_BYTES;
  private readonly texts: FramedTexts;
  private readonly inflated: InflatedTexts;

  constructor(scratch: Scratch, input: DeviceBamInput, sizes: TextSizes, texts: FramedTexts) {
    this.texts = texts;
    let records: Alignments;
    this.inflated = new InflatedTexts(scratch, {
      groupBytes: sizes.text,
      textBytes: sizes.binding,
      leastRate: input.leastRate,
      cut: async (text) => {
        records = await frameAlignments(scratch, text, input.references);
        return records.end;
      },
      take: async ({ text, bytes }) => texts.take(text, bytes, records),
    });
  }

  beginFile(headerBytes: number): void {
    this.inflated.begin(headerBytes);
  }

  async add(compressed: GPUBuffer, bytes: number): Promise<void> {
    const isFirst = this.texts.texts.length === 0;
    await this.inflated.add(compressed, bytes);
    if (isFirst) await this.texts.reserve(bytes);
  }

  endFile(): Promise<void> {
    return this.inflated.end(null);
  }
}
