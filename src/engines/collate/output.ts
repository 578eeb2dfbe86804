/** Writes lines one after the other, and keeps the sparse index of a run (src/engines/cpu/run.ts). */

import type { Position } from '../contract.js';
import { INDEX_STEP } from '../cpu/kernels.js';
import type { Outcome } from '../cpu/outcome.js';
import { type Lines, lineBegin } from './lines.js';

/** Lines of at least this many bytes are copied with Buffer.copy, shorter ones by a loop. */
const BULK_COPY_BYTES = 64;

export class Output {
  private readonly target: Buffer;
  private at = 0;
  private records = 0;
  private readonly index: number[] = [];

  /** `target` must have room for everything that is written. */
  constructor(target: Buffer) {
    this.target = target;
  }

  /** The number of lines written. */
  get count(): number {
    return this.records;
  }

  /** The place after the last line written. */
  get position(): Position {
    return { index: this.records, byte: this.at };
  }

  write(lines: Lines, i: number): void {
    const { text } = lines;
    const begin = lineBegin(lines, i);
    const end = lines.ends[i];
    if (this.records++ % INDEX_STEP === 0) this.index.push(this.at);
    if (end - begin >= BULK_COPY_BYTES) {
      text.copy(this.target, this.at, begin, end);
      this.at += end - begin;
    } else {
      for (let from = begin; from < end; from++) this.target[this.at++] = text[from];
    }
  }

  outcome(): Outcome {
    return { bytes: this.at, records: this.records, index: Uint32Array.from(this.index) };
  }
}
