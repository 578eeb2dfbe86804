/** Sorts BAM on the test's device. */
import { GpuBamSort } from '../../../../src/engines/gpu/bam/sort-bam.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { silent } from '../../../support/jobs.js';
import { REFERENCES, type SortedBam, sorted } from '../../bam/sorting.js';

/** So small that a file has many stretches, texts and ranges. */
export const TINY = { stretch: 16_384, piece: 4096, text: 100_000, range: 170_000 };

export async function sortOnDevice(
  gpu: Gpu,
  file: Buffer,
  headerBytes: number,
  sizes: object = TINY,
  leastRate = 0,
): Promise<SortedBam> {
  const start = { bytes: file.length, leastRate, headerBytes, references: REFERENCES };
  return sorted(new GpuBamSort({ ...gpu, close: () => {} }, start, silent, sizes), file, headerBytes);
}
