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

/** `most`: the most bytes of a record, of a part of a block, and of a written block. `bytes`: those of all records. */
interface Repeated {
  readonly delimiter: number;
  readonly most: number;
  readonly bytes: number;
}

export class Repeater {
  private readonly kernels: CpuKernels;
  private readonly repeated: Repeated;
  private readonly next: BlockWriter;
  private readonly records: WholeRecords;
  /** Addresses of a part and of the blocks. The memory must not grow while blocks are written. */
  private readonly source: number;
  private readonly blocks: readonly number[];
  /** The writes of the blocks; the first one is the oldest. */
  private readonly writes: Promise<void>[] = [];
  private turn = 0;
  private written = 0;
  private taken: Promise<void> = Promise.resolve();

  /** `free`: the first address after the table. */
  constructor(kernels: CpuKernels, free: number, repeated: Repeated, next: BlockWriter) {
    this.kernels = kernels;
    this.repeated = repeated;
    this.next = next;
    this.records = new WholeRecords(recordFinder({ kind: 'lines', delimiter: repeated.delimiter }));
    const [source, ...blocks] = layOut(kernels, Array<number>(1 + BLOCKS).fill(repeated.most), free);
    this.source = source;
    this.blocks = blocks;
    kernels.openOutput(blocks[0], 0);
  }

  /** Takes a block of distinct records, which it may split anywhere. */
  readonly write: BlockWriter = (block) => (this.taken = this.taken.then(() => this.take(block)));

  /** Writes the last block, after all blocks were taken. */
  async finish(): Promise<void> {
    await this.taken;
    await this.flush();
    await Promise.all(this.writes);
    const { bytes } = this.repeated;
    if (this.written !== bytes) throw internalError(`${this.written} bytes of ${bytes} counted ones were written`);
  }

  private async take(block: Uint8Array): Promise<void> {
    const { delimiter, most } = this.repeated;
    for (const text of this.records.texts(block))
      for (let at = 0; at < text.length; ) {
        const bytes = text.subarray(at, at + most).lastIndexOf(delimiter) + 1;
        if (bytes === 0) throw internalError('a record is longer than those that were counted');
        await this.repeat(text.subarray(at, at + bytes));
        at += bytes;
      }
  }

  private async repeat(text: Uint8Array): Promise<void> {
    const { kernels, source } = this;
    const end = source + text.length;
    copyIn(kernels, text, source);
    for (let from = source; ; await this.flush()) {
      from = kernels.repeatRecords(from, end, this.blocks[this.turn] + this.repeated.most);
      if (from === end) return;
    }
  }

  /** Writes the block, and begins the next one as soon as its earlier content is written. */
  private async flush(): Promise<void> {
    const { kernels, blocks, writes } = this;
    const begin = blocks[this.turn];
    const bytes = kernels.outputEnd() - begin;
    this.written += bytes;
    writes.push(this.next(new Uint8Array(kernels.memory.buffer, begin, bytes)));
    writes.at(-1)!.catch(() => {
      /* handled before the memory is used again, or at the end */
    });
    this.turn = (this.turn + 1) % BLOCKS;
    if (writes.length === BLOCKS) await writes.shift();
    kernels.openOutput(blocks[this.turn], 0);
    await rest();
  }
}
