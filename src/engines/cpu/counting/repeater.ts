/**
 * A step of the output: takes records in order, and passes each on as often as it was counted, or once if it was not
 * counted. Knows the table of counts, but no order.
 */

import type { BlockWriter } from '../../../contract/engine.js';
import { internalError } from '../../../system/errors.js';
import { asBuffer } from '../../../system/memory.js';
import { quiet, rest } from '../../../system/promises.js';
import { type CpuKernels, copyIn, FORM, layOut } from '../kernels.js';

/** Blocks that are filled while others are written. */
const BLOCKS = 3;

/** `most`: maximum bytes of a counted record, and of a written block. `bytes`: of all records to be written. */
interface Repeated {
  readonly delimiter: number;
  readonly most: number;
  readonly bytes: number;
}

export class Repeater {
  private readonly kernels: CpuKernels;
  private readonly repeated: Repeated;
  private readonly next: BlockWriter;
  /** Addresses of a part of the text and of the blocks. The memory must not grow while blocks are written. */
  private readonly source: number;
  private readonly blocks: readonly number[];
  /** The writes of the blocks; the first one is the oldest. */
  private readonly writes: Promise<void>[] = [];
  private turn = 0;
  private written = 0;
  private taken: Promise<void> = Promise.resolve();
  /** The beginning of a record, in pieces; null: it is longer than any counted record, and was passed on. */
  private open: Buffer[] | null = [];
  private openBytes = 0;

  /** `free`: the first address after the table. */
  constructor(kernels: CpuKernels, free: number, repeated: Repeated, next: BlockWriter) {
    this.kernels = kernels;
    this.repeated = repeated;
    this.next = next;
    const [source, ...blocks] = layOut(kernels, Array<number>(1 + BLOCKS).fill(repeated.most), free);
    this.source = source;
    this.blocks = blocks;
    kernels.openOutput(blocks[0], FORM.run);
  }

  /** Takes a block, which may split records anywhere. */
  readonly write: BlockWriter = (block) => (this.taken = this.taken.then(() => this.take(asBuffer(block))));

  /** Writes the last block, after all blocks were taken. */
  async finish(): Promise<void> {
    await this.taken;
    await this.flush();
    await Promise.all(this.writes);
    const { bytes } = this.repeated;
    if (this.written !== bytes || this.openBytes > 0)
      throw internalError(`of ${bytes} bytes of repeated records, ${this.written} were written`);
  }

  private async take(block: Buffer): Promise<void> {
    const { delimiter, most } = this.repeated;
    for (let at = 0; at < block.length; ) {
      const isOpen = this.open === null || this.openBytes > 0;
      const whole = isOpen ? 0 : block.subarray(at, at + most).lastIndexOf(delimiter) + 1;
      const end = whole > 0 ? at + whole : block.indexOf(delimiter, at) + 1;
      const part = block.subarray(at, end === 0 ? block.length : end);
      if (whole > 0) await this.repeat(part);
      else await this.continue(part, end > 0);
      at += part.length;
    }
  }

  /** Takes the next part of the open record. `ends`: it is the last part. */
  private async continue(part: Buffer, ends: boolean): Promise<void> {
    if (this.open !== null && this.openBytes + part.length <= this.repeated.most) {
      // The caller may reuse the block's memory.
      this.open.push(Buffer.from(part));
      this.openBytes += part.length;
      if (ends) await this.repeat(this.closed());
      return;
    }
    await this.flush();
    if (this.open !== null) await this.pass(this.closed());
    await this.pass(part);
    this.open = ends ? [] : null;
  }

  /** The open record so far. */
  private closed(): Buffer {
    const record = Buffer.concat(this.open!);
    [this.open, this.openBytes] = [[], 0];
    return record;
  }

  private async pass(bytes: Buffer): Promise<void> {
    if (bytes.length > 0) await this.next(bytes);
    this.written += bytes.length;
  }

  /** Takes whole records, of up to `most` bytes in all. */
  private async repeat(text: Buffer): Promise<void> {
    const { kernels, source } = this;
    const end = source + text.length;
    copyIn(kernels, text, source);
    for (let from = source; ; await this.flush()) {
      from = kernels.repeatRecords(from, end, this.blocks[this.turn] + this.repeated.most);
      if (from === end) return;
    }
  }

  /** Writes the current block, and begins the next one once that one's earlier content is written. */
  private async flush(): Promise<void> {
    const { kernels, blocks, writes } = this;
    const begin = blocks[this.turn];
    const bytes = kernels.outputEnd() - begin;
    if (bytes === 0) return;
    this.written += bytes;
    writes.push(this.next(new Uint8Array(kernels.memory.buffer, begin, bytes)));
    // Handled before the memory is used again, or at the end.
    quiet(writes.at(-1)!);
    this.turn = (this.turn + 1) % BLOCKS;
    if (writes.length === BLOCKS) await writes.shift();
    kernels.openOutput(blocks[this.turn], FORM.run);
    await rest();
  }
}
