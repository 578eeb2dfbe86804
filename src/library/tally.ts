/** Counts the records of an output, block by block, as engines hold them. */

import type { RecordFormat } from '../job/ordering.js';
import { countBytes } from '../records/fastx-kernels.js';
import type { RecordCounter } from '../run/caller.js';

export class RecordTally implements RecordCounter {
  private format: RecordFormat | null = null;
  private counted = 0;

  /**
   * Begins to count the records of one attempt to write the output. The returned function takes the blocks of the
   * output.
   */
  begin(format: RecordFormat): (block: Uint8Array) => void {
    this.format = format;
    this.counted = 0;
    return (block) => {
      this.counted += format.kind === 'lines' ? countBytes(block, format.delimiter) : block.length;
    };
  }

  take(records: number): void {
    this.format = null;
    this.counted = records;
  }

  get records(): number {
    return this.format?.kind === 'fixed' ? this.counted / this.format.size : this.counted;
  }
}
