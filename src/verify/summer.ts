/** Digests of text outside WebAssembly's memory: whole records, or one record in pieces. */

import type { RecordFormat } from '../job/job.js';
import { addDigests, type Digest, NO_RECORDS } from '../report/digest.js';
import { newMemory } from '../system/memory.js';
import { compileVerifyKernels, copyTo, digestAt, openVerifyKernels, type VerifyKernels } from './kernels.js';
import { asBuffer, pieceEnd } from './pieces.js';

/** Bytes per step of the hash. */
const STEP_BYTES = 16;
/** Bytes of a long record copied at once. */
const COPY_BYTES = 1 << 20;

export class Summer {
  private readonly format: RecordFormat;
  private readonly memory = newMemory();
  private readonly kernels: VerifyKernels;

  constructor(format: RecordFormat, module = compileVerifyKernels()) {
    this.format = format;
    this.kernels = openVerifyKernels(module, format, this.memory);
  }

  /** The digest of `text`, whole records. */
  digest(text: Uint8Array): Digest {
    const buffer = asBuffer(text);
    let sum = NO_RECORDS;
    for (let at = 0; at < buffer.length; ) {
      const end = pieceEnd(this.format, buffer, at);
      sum = addDigests(sum, digestAt(this.kernels, 0, copyTo(this.memory, buffer.subarray(at, end), 0)));
      at = end;
    }
    return sum;
  }

  /**
   * Begins a record whose bytes, without its delimiter, are added in pieces of any length. No other digest may be
   * computed meanwhile.
   */
  openRecord(): LongRecord {
    const { kernels, memory } = this;
    const delimiterBytes = this.format.kind === 'lines' ? 1 : 0;
    /** Bytes left over after the last whole step; they lie at the beginning of the memory. */
    let rest = 0;
    let bytes = 0;
    kernels.openRecord();
    return {
      add(text) {
        for (let at = 0; at < text.length; at += COPY_BYTES) {
          const end = copyTo(memory, text.subarray(at, at + COPY_BYTES), rest);
          const steps = end - (end % STEP_BYTES);
          kernels.addToRecord(0, steps);
          new Uint8Array(memory.buffer).copyWithin(0, steps, end);
          rest = end - steps;
        }
        bytes += text.length;
      },
      close() {
        kernels.resetSums();
        kernels.closeRecord(0, rest);
        return { records: 1, bytes: bytes + delimiterBytes, hash: BigInt.asUintN(64, kernels.hashSum()) };
      },
    };
  }
}

/** A record that is hashed as it arrives. */
export interface LongRecord {
  add(bytes: Uint8Array): void;
  close(): Digest;
}
