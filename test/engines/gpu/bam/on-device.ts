/** Sorts BAM on the test's device. */
import { GpuBamSort } from '../../../../src/engines/gpu/bam/sort-bam.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { silent } from '../../../support/jobs.js';
import { REFERENCES, type SortedBam, sorted } from '../../bam/sorting.js';

/** So small that a file has many stretches, texts and ranges. */
export const TINY = { stretch: 16_384, piece: 4096, text: 100_000, range: 170_000 };

interface DeviceSort {
  readonly sizes?: object;
  readonly leastRate?: number;
  /** See BamInput. */
  readonly rows?: Ordering | null;
}

export async function sortOnDevice(
  gpu: Gpu,
  files: readonly Buffer[],
  headerBytes: number,
  { sizes = TINY, leastRate = 0, rows = null }: DeviceSort = {},
): Promise<SortedBam> {
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  const kept = { keptBytes: () => 0, memoryBytes: Infinity };
  const input = { bytes, rows, references: REFERENCES, contigs: null };
  const start = { ...input, ...kept, leastRate, level: 1 };
  return sorted(new GpuBamSort({ ...gpu, close: () => {} }, start, silent, sizes), files, headerBytes);
}
