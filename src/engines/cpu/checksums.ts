/** Checksums of text that is read again when it is written (kernels/wasm/cpu/checksum.ts). */
import type { CheckedText } from '../../contract/engine.js';
import { type CpuKernels, compileKernels, copyIn, layOut, openKernels, type PlacedText } from './kernels.js';
import type { RecordShape } from './shape.js';

/** Bytes covered by one checksum. */
const BLOCK_BYTES = 64 << 10;

/** The checksum of each block of a text. */
export function blockSums(kernels: CpuKernels, { begin, end }: PlacedText): Uint32Array {
  const sums = new Uint32Array(Math.ceil((end - begin) / BLOCK_BYTES));
  for (const i of sums.keys()) {
    const from = begin + i * BLOCK_BYTES;
    sums[i] = kernels.checksum(from, Math.min(end, from + BLOCK_BYTES));
  }
  return sums;
}

/** The same checksums of bytes outside the kernels' memory. */
export class Checksums implements Pick<CheckedText, 'blockBytes' | 'checksum'> {
  readonly blockBytes = BLOCK_BYTES;
  private readonly shape: RecordShape;
  private kernels: CpuKernels | null = null;
  private place = 0;

  constructor(shape: RecordShape) {
    this.shape = shape;
  }

  /** The checksum of at most one block. */
  readonly checksum = (block: Uint8Array): number => {
    if (this.kernels === null) {
      this.kernels = openKernels(compileKernels(), this.shape);
      [this.place] = layOut(this.kernels, [BLOCK_BYTES]);
    }
    copyIn(this.kernels, block, this.place);
    return this.kernels.checksum(this.place, this.place + block.length);
  };
}
