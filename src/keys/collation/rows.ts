/**
 * Neighboring parts with orderings other than collation: their rows (kernels/wasm/keys/) one after the other, as a
 * string with one character for each byte, which compares as the bytes do.
 */
import type { Ordering } from '../../job/job.js';
import { KeyMaker } from '../key-maker.js';
import { HEADER_BYTES, keyLength } from '../keyed.js';
import type { CollationStep } from './step.js';

export class PartRows implements CollationStep {
  private readonly ordering: Ordering;
  private readonly maker: KeyMaker;

  /** For the parts of an ordering by normalized keys. */
  constructor(ordering: Ordering, keyModule?: WebAssembly.Module) {
    this.ordering = ordering;
    this.maker = new KeyMaker(ordering, keyModule);
  }

  valueOf(record: Uint8Array): string {
    const { format } = this.ordering;
    const line = Buffer.allocUnsafe(record.length + 1);
    line.set(record);
    line[record.length] = format.kind === 'lines' ? format.delimiter : 0;
    return this.valuesOf(line, 0, Uint32Array.of(line.length))[0];
  }

  valuesOf(text: Buffer, from: number, ends: Uint32Array): string[] {
    const values: string[] = [];
    this.maker.make(text.subarray(from, ends.at(-1) ?? from), (block) => {
      const lines = Buffer.from(block.buffer, block.byteOffset, block.length);
      for (let at = 0; at < lines.length; ) {
        const row = at + HEADER_BYTES;
        const rowEnd = row + keyLength(this.ordering, lines.subarray(at, row));
        const i = values.push(lines.toString('latin1', row, rowEnd)) - 1;
        at = rowEnd + ends[i] - (i === 0 ? from : ends[i - 1]);
      }
    });
    return values;
  }

  compare(a: string, b: string): number {
    return a < b ? -1 : a > b ? 1 : 0;
  }
}
