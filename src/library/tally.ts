/** Counts the records of an output, block by block, as engines hold them. */
import type { RecordFormat } from '../job/ordering.js';
import { countBytes } from '../records/fastx-kernels.js';

export class RecordTally {
  private format: RecordFormat | null = null;
  private counted = 0;

  /** Begins to count the records of an attempt at the output, whose blocks the result takes. */
  readonly begin = (format: RecordFormat): ((block: Uint8Array) => void) => {
    this.format = format;
    this.counted = 0;
    return (block) => {
      this.counted += format.kind === 'lines' ? countBytes(block, format.delimiter) : block.length;
    };
  };

  get records(): number {
    return this.format?.kind === 'fixed' ? this.counted / this.format.size : this.counted;
  }
}
