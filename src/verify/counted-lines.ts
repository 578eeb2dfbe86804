/** Counts the lines that --count writes, and adds up the numbers they begin with. */
import type { RecordFormat } from '../job.js';
import { newMemory } from '../wasm-memory.js';
import { compileVerifyKernels, copyTo, openVerifyKernels, STEP_RECORDS } from './kernels.js';
import { asBuffer, pieceEnd } from './pieces.js';

export class CountedLines {
  lines = 0;
  sum = 0;
  private readonly format: RecordFormat;
  private readonly memory = newMemory();
  private readonly kernels;

  constructor(format: RecordFormat) {
    this.format = format;
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
      for (let from = 0; from < to; ) from = kernels.sumCounted(from, to, STEP_RECORDS);
      at = end;
    }
    this.lines += kernels.recordCount();
    this.sum += kernels.countedSum();
  }
}
