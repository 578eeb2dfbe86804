/** Counts the records that --count writes, and adds up their numbers. */
import type { RecordFormat } from '../job/job.js';
import { newMemory } from '../system/memory.js';
import { compileVerifyKernels, copyTo, openVerifyKernels, STEP_RECORDS } from './kernels.js';
import { asBuffer, pieceEnd } from './pieces.js';

export class CountedLines {
  lines = 0;
  sum = 0;
  private readonly format: RecordFormat;
  private readonly labelled: boolean;
  private readonly memory = newMemory();
  private readonly kernels;

  /** `labelled`: their first lines end with the numbers, as in src/output/count.ts. */
  constructor(format: RecordFormat, labelled = false) {
    this.format = format;
    this.labelled = labelled;
    this.kernels = openVerifyKernels(compileVerifyKernels(), format, this.memory);
  }

  /** Adds a block of whole lines. */
  add(block: Uint8Array): void {
    const { kernels, memory } = this;
    const text = asBuffer(block);
    kernels.resetSums();
    for (let at = 0; at < text.length; ) {
      const end = pieceEnd(this.format, text, at);
      const to = copyTo(memory, text.subarray(at, end), 0);
      for (let from = 0; from < to; ) from = kernels.sumCounted(from, to, STEP_RECORDS, Number(this.labelled));
      at = end;
    }
    this.lines += kernels.recordCount();
    this.sum += kernels.countedSum();
  }
}
