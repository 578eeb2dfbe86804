/**
 * The saving by --by similar, for --stats: the size of the compressed output compared with the estimated size of the
 * same text in input order.
 */
import { SizeSample, type TextTaker } from '../codecs/size-sample.js';
import type { SortJob } from '../job/job.js';
import { formatBytes } from '../report/units.js';

export class Saving {
  private readonly sample: SizeSample;
  private text = 0;
  private bytes = 0;

  /** Null if nothing is to be compared. `threads` compress the sample. */
  static of(
    {
      mode,
      input: { genomics },
      output: { compression },
      report,
    }: Pick<SortJob, 'mode' | 'input' | 'output' | 'report'>,
    threads: number,
  ): Saving | null {
    return mode === 'sort' && genomics?.by === 'similar' && report.stats !== 'no' && compression !== null
      ? new Saving(new SizeSample(compression.kind, compression.level, threads))
      : null;
  }

  private constructor(sample: SizeSample) {
    this.sample = sample;
  }

  /** The receiver of an input's bytes as they are read. */
  readonly taker = (): TextTaker => this.sample.taker();

  /** Called when a file of the output is complete, with the bytes of its text and of the file. */
  wrote(text: number, bytes: number): void {
    this.text += text;
    this.bytes += bytes;
  }

  /** The sentence for --stats, once the output is complete; null if nothing was compressed. */
  async sentence(): Promise<string | null> {
    const { text, sample, compressed } = await this.sample.size();
    if (sample === 0 || this.text === 0) return null;
    const before = (compressed / sample) * this.text;
    const saved = Math.round((1 - this.bytes / before) * 100);
    return (
      `similar: ${formatBytes(this.bytes)}; in input order about ${formatBytes(before)} ` +
      `(${Math.abs(saved)} % ${saved < 0 ? 'more' : 'saved'}), ` +
      `from a sample of ${formatBytes(sample)} of ${formatBytes(text)}`
    );
  }

  close(): Promise<void> {
    return this.sample.close();
  }
}
