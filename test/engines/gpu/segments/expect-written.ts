/** Sorts records in segments with an engine, for tests. */
import { expect } from 'vitest';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { SORT_STAGES } from '../../../../src/engines/gpu/engine/sorts.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { written } from '../../../support/segments.js';
import { engineOn } from '../engines.js';

/** Sorts records in chunks of these bytes, at most this many records at once, and expects the result. */
export async function expectWritten(
  gpu: Gpu,
  records: readonly Buffer[],
  ordering: Ordering,
  [chunkBytes, mostRecords]: readonly [number, number | null],
  result: Buffer,
  what = '',
): Promise<void> {
  const sizes = { chunkBytes, pieceBytes: chunkBytes, rangeBytes: chunkBytes, mostRecords };
  const engine = engineOn(gpu, { ordering, ...sizes }, SORT_STAGES.segmented);
  const found = await written(engine, records, ordering, false);
  await engine.close();
  expect(found.toString('latin1') === result.toString('latin1'), what).toBe(true);
}
