/**
 * A step of the output: takes distinct records in order, and passes each on as often as it occurred. Knows the table of
 * their counts, and no order.
 */
import { recordFinder } from '../../../records/record-finder.js';
import { WholeRecords } from '../../../records/whole-records.js';
import { internalError } from '../../../system/errors.js';
import { rest } from '../../../system/promises.js';
import type { BlockWriter } from '../../contract.js';
import { type CpuKernels, copyIn, layOut } from '../kernels.js';

/** Blocks that are filled while others are written. */
const BLOCKS = 3;

export class Repeater {
  private readonly kernels: CpuKernels;
  private readonly delimiter: number;
  private readonly records: WholeRecords;
  private readonly write: BlockWriter;
  /** The most bytes of a record, of a part of a block, and of a written block. */
  private readonly most: number;
  /** Addresses of a part and of the blocks. The memory must not grow while blocks are written. */
  private readonly source: number;
  private readonly blocks: number[];
  /** The writes of the blocks; the first one is the oldest. */
  private readonly writes: Promise<void>[] = [];
  private turn = 0;
  private written = 0;

  /** `free`: the first address after the table. */
  constructor(kernels: CpuKernels, free: number, delimiter: number, most: number, write: BlockWriter) {
    this.kernels = kernels;
    this.delimiter = delimiter;
    this.records = new WholeRecords(recordFinder({ kind: 'lines', delimiter }));
    this.most = most;
    this.write = write;
    [this.source, ...this.blocks] = layOut(
      kernels,
      Array.from({ length: 1 + BLOCKS }, () => most),
      free,
    ) as [number, ...number[]];
    kernels.openOutput(this.blocks[0], 0);
  }

  /** Takes a block of distinct records, which it may split anywhere. */
  async take(block: Uint8Array): Promise<void> {
    for (const text of this.records.texts(block))
      for (let at = 0; at < text.length; ) {
        const last = text.subarray(at, at + this.most).lastIndexOf(this.delimiter);
        await this.repeat(text.subarray(at, at + last + 1));
        at += last + 1;
      }
  }

  /** `bytes`: those of all records that were counted. */
  async finish(bytes: number): Promise<void> {
    await this.flush();
    await Promise.all(this.writes);
    if (this.written !== bytes) throw internalError(`${this.written} bytes of ${bytes} counted ones were written`);
  }

  private async repeat(text: Uint8Array): Promise<void> {
    const { kernels, source } = this;
    const end = source + text.length;
    copyIn(kernels, text, source);
    for (let from = source; ; await this.flush()) {
      from = kernels.repeatRecords(from, end, this.blocks[this.turn] + this.most);
      if (from === end) return;
    }
  }

  /** Writes the block, and begins the next one as soon as its earlier content is written. */
  private async flush(): Promise<void> {
    const { kernels, blocks, writes } = this;
    const begin = blocks[this.turn];
    const bytes = kernels.outputEnd() - begin;
    this.written += bytes;
    writes.push(this.write(new Uint8Array(kernels.memory.buffer, begin, bytes)));
    writes.at(-1)!.catch(() => {
      /* handled before the memory is used again, or at the end */
    });
    this.turn = (this.turn + 1) % BLOCKS;
    if (writes.length === BLOCKS) await writes.shift();
    kernels.openOutput(blocks[this.turn], 0);
    await rest();
  }
}
