/** Merge sort of fixed keys: workgroups and blocks of other sizes, every merge kernel, and launches of few tiles. */
import { it } from 'vitest';
import { type FixedKeySpec, keyWords } from '../../../../../src/engines/gpu/keys/key-sort.js';
import { type MergeSortTuning, mergeSort } from '../../../../../src/engines/gpu/keys/merge-sort/merge-sort.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { KEY_TYPES, nameOf, specsOf } from '../../../../support/fixed-keys.js';
import { sampled } from '../../../../support/tier.js';
import { DISTRIBUTION_NAMES, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkSort, conforms, U32_KEYS, U32_PAIRS } from '../conformance.js';
import { kernelsOf, SMALL_BLOCK, SORTS, smallMerge } from '../sorts.js';

describeGpu('merge sort', () => {
  const gpu = useGpu();
  const check = (tuning: MergeSortTuning, spec: FixedKeySpec, n: number): Promise<void> =>
    checkSort(gpu(), mergeSort(tuning), spec, makeKeys('uniform', n, keyWords(spec), n));

  conforms(gpu, SORTS.merge, 5);

  const kernels = specsOf(KEY_TYPES).flatMap((spec) =>
    kernelsOf(spec).map((kernel) => [nameOf(spec), kernel, spec] as const),
  );
  it.each(
    sampled(kernels, {
      count: 16,
      seed: 1,
      values: ([, kernel]) => [kernel],
      always: ([, kernel, { type }]) => type === 'u64' || (type === 'u32' && kernel !== 'merge-windows'),
    }),
  )('sorts %s with %s', async (_, kernel, spec) => {
    for (const [d, name] of sampled(DISTRIBUTION_NAMES, { count: 13, seed: 1 }).entries()) {
      const tuning = { block: SMALL_BLOCK, merge: { ...smallMerge(kernel), windows: 1 + (d % 3) } };
      // Even seeds put the differences in the high word, odd seeds in the low word.
      for (const seed of [4, 5])
        await checkSort(gpu(), mergeSort(tuning), spec, makeKeys(name, 1500, keyWords(spec), seed));
    }
  });

  const workgroups = [
    [8, 8, 8, 8],
    [1, 8, 2, 8],
    [4, 16, 32, 8],
    [128, 8, 16, 16],
    [2, 16, 64, 16],
  ] as const;
  it.each(sampled(workgroups, { count: 5, seed: 3 }))(
    'sorts with blocks of %i threads, %i keys each, and three tiles a launch of %i, %i each',
    async (threads, perThread, mergeThreads, mergeKeys) => {
      const merge = { threads: mergeThreads, perThread: mergeKeys, launchGroups: 3 };
      for (const spec of sampled([U32_PAIRS, U32_KEYS], { count: 2, seed: 1 }))
        for (const n of [1000, 2049, 5000]) await check({ block: { threads, perThread }, merge }, spec, n);
    },
  );

  it('sorts at the edges of the blocks and tiles that it chooses', async () => {
    const sizes = [1, 2047, 2048, 2049, 4095, 4096, 4097, 4351, 4352, 4353, 8191, 8192, 8193, 12289, 2 ** 17 + 1];
    for (const n of sampled(sizes, { count: 15, seed: 2 })) await check({}, U32_PAIRS, n);
  });

  const fitting = specsOf(['u32', 'prefix', 'u128']).flatMap((spec) =>
    kernelsOf(spec).map((kernel) => [nameOf(spec), kernel, spec] as const),
  );
  it.each(sampled(fitting, { count: 12, seed: 2 }))(
    'fits the workgroup memory that every device has: %s with %s',
    async (_, kernel, spec) => {
      const limited = { ...gpu(), workgroupBytes: 16384 };
      await checkSort(limited, mergeSort({ merge: { kernel } }), spec, makeKeys('uniform', 5000, keyWords(spec), 11));
    },
  );
});
