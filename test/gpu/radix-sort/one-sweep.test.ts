/** The radix sort in one sweep a pass: tiles that wait for each other, tiles that are late, and tiles that never tell anything. */
import { expect, it } from 'vitest';
import { keyWords, type KeySpec } from '../../../src/gpu/keys.js';
import { radixSort, RADIX_TUNING } from '../../../src/gpu/radix-sort/radix-sort.js';
import { describeGpu } from '../../setup/gpu.js';
import { makeKeys } from '../distributions.js';
import { useGpu } from '../helpers.js';
import { checkKeySort } from '../key-sorts.js';

const PAIRS: KeySpec = { type: 'u32', descending: false, values: true };

describeGpu('radix sort in one sweep', () => {
  const gpu = useGpu();
  it('sorts, whether tiles tell or not', async () => {
    for (const subgroups of [true, false]) {
      const tuning = { ...RADIX_TUNING, sweep: 'one' as const, subgroups };
      await checkKeySort(gpu(), radixSort(tuning), PAIRS, makeKeys('uniform', 5000, 1, 1));
      await checkKeySort(gpu(), radixSort({ ...tuning, items: 4 }), { ...PAIRS, type: 'u64' }, makeKeys('uniform', 20000, 2, 1));
      for (const stall of [1, 2, 3]) await checkKeySort(gpu(), radixSort({ ...tuning, items: 4, stall, spins: 10 }), PAIRS, makeKeys('uniform', 20000, 1, 1));
    }
  });
});
