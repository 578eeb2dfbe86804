/**
 * Makes keyed lines of a chunk on the device and sorts them. If a key is too long for one device thread, the host makes
 * the keys of those lines (host-keys.ts).
 */
import type { Scratch } from '../device/pool.js';
import { type DeviceParts, makeKeyedLines, takeParts } from '../records/keyed-lines/keyed-lines.js';
import { type Tokenized, writeStarts } from '../records/tokenize.js';
import { type RecordSpan, sortStarted } from './sort-records.js';
import type { DeviceSorted } from './sorted.js';
import type { Stages } from './stages.js';

export class DeviceKeys {
  private readonly stages: Stages;
  private parts: Promise<DeviceParts> | null = null;

  constructor(stages: Stages) {
    this.stages = stages;
  }

  /**
   * Sorts part of the lines of a text as keyed lines. Passes each result to `take`; there are
   * several if the lines are too many for one sort. Lines with a key too long for the device go to `leave`, as bytes
   * [from, to) of the text.
   */
  async order(
    scratch: Scratch,
    tokenized: Tokenized,
    { first, count }: RecordSpan,
    take: (sorted: DeviceSorted) => void,
    leave: (from: number, to: number) => Promise<void>,
  ): Promise<void> {
    const { stages } = this;
    const { gpu, pool, ordering } = stages;
    const parts = await (this.parts ??= takeParts(gpu, pool, ordering));
    const share = count / tokenized.count;
    gpu.timer?.handles(Math.round(tokenized.textBytes * share), 'tokenize', 'keys');
    const lines = await writeStarts(scratch, tokenized, first, count);
    const made = await makeKeyedLines(scratch, lines, parts, stages.textBytes);
    scratch.drop(lines.starts!);
    if (made.kind === 'long') await leave(made.from, made.to);
    else if (made.kind === 'keyed') {
      if (share === 1) scratch.drop(tokenized.text);
      take(await sortStarted(stages, scratch, made.records, 1, null));
      scratch.drop(made.records.text);
    } else {
      const half = Math.ceil(count / 2);
      await this.order(scratch, tokenized, { first, count: half }, take, leave);
      await this.order(scratch, tokenized, { first: first + half, count: count - half }, take, leave);
    }
  }

  /** Returns its buffers to the pool. */
  async close(): Promise<void> {
    const parts = (await this.parts?.catch(() => null)) ?? null;
    if (parts !== null) this.stages.pool.give(parts.parts, parts.tables);
  }
}
