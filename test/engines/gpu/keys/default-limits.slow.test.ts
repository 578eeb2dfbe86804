/** Radix-refine on a device with only the guaranteed limits, and the memory that it takes. */
import { it } from 'vitest';
import { localitySort } from '../../../../src/engines/gpu/keys/locality-sort/locality-sort.js';
import {
  loadRadixRefine,
  RADIX_REFINE_TUNING,
  radixRefine,
} from '../../../../src/engines/gpu/strings/radix-refine/radix-refine.js';
import { describeGpu } from '../../../setup/gpu.js';
import { LINES } from '../../../support/records.js';
import { defaultAdapter } from '../device/default-device.js';
import { destroyRecords, uploadRecords, useGpu } from '../helpers.js';
import { refineBy } from '../strings/radix-refine/sorts.js';
import { checkStringSort } from '../strings/string-sorts.js';
import { DISTRIBUTIONS, linesOf } from '../strings/strings.js';
import { returnsMemory } from './conformance.js';

describeGpu('radix-refine on a device with the default limits', () => {
  const gpu = useGpu(async () => (await defaultAdapter()).adapter);

  it('sorts lines of all distributions', async () => {
    await loadRadixRefine(gpu(), LINES);
    for (const name of Object.keys(DISTRIBUTIONS)) {
      await checkStringSort(gpu(), refineBy(), linesOf(name, 1200, 3));
    }
  });
  it.each([
    ['radix sort', RADIX_REFINE_TUNING],
    ['locality sort', { ...RADIX_REFINE_TUNING, firstSort: localitySort({ tile: 64 }) }],
  ])('returns the buffers that it takes, whether or not memory suffices: with %s', async (_, tuning) => {
    const ordering = { ...LINES, unique: true, lastResort: false };
    await loadRadixRefine(gpu(), ordering, tuning);
    const records = Array.from({ length: 1200 }, (_, i) => Buffer.from('x'.repeat(300) + String(i % 300)));
    const uploaded = uploadRecords(gpu(), records, ordering);
    await returnsMemory(gpu(), async (pool) => {
      const { order } = await radixRefine(gpu(), pool, uploaded, ordering, { commonPrefix: 0, tuning });
      pool.give(order);
    });
    destroyRecords(uploaded);
  });
});
