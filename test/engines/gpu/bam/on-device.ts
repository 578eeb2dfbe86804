/** Sorts BAM, and SAM as BAM, on the test's device. */
import { GpuBamSort } from '../../../../src/engines/gpu/bam/sort-bam.js';
import type { DeviceBamInput } from '../../../../src/engines/gpu/bam/texts.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { silent } from '../../../support/jobs.js';
import { REFERENCES, type SortedBam, sorted } from '../../bam/sorting.js';

/** So small that a file has many stretches, texts and ranges. */
export const TINY = { stretch: 16_384, piece: 4096, text: 100_000, range: 170_000 };

/** The same for SAM. Records may have twice the bytes of their lines, so the largest binding holds two stretches. */
export const TINY_LINES = { stretch: 8192, piece: 4096, range: 170_000, line: 4096 };

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
  const input = { rows, references: REFERENCES, contigs: null };
  return sorted(openSort(gpu, files, { ...input, leastRate }, sizes), files, headerBytes);
}

/** Sorts SAM without headers. `contigs`: see BamInput. */
export async function sortLinesOnDevice(
  gpu: Gpu,
  files: readonly Buffer[],
  contigs: Buffer,
  { sizes = TINY_LINES, rows = null }: Omit<DeviceSort, 'leastRate'> = {},
): Promise<SortedBam> {
  const references = contigs.toString('latin1').split('\n').length - 1;
  return sorted(openSort(gpu, files, { rows, references, contigs, leastRate: 0 }, sizes), files, 0);
}

function openSort(
  gpu: Gpu,
  files: readonly Buffer[],
  input: Pick<DeviceBamInput, 'rows' | 'references' | 'contigs' | 'leastRate'>,
  sizes: object,
): GpuBamSort {
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  return new GpuBamSort({ ...gpu, close: () => {} }, { ...input, keptBytes: () => 0, bytes, level: 1 }, silent, sizes);
}
