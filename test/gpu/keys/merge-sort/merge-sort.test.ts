/** Merge sort of fixed keys: every merge kernel and diagonal search, workgroups of other sizes, and launches. */
import { it } from 'vitest';
import { type FixedKeySpec, keyWords } from '../../../../src/gpu/keys/key-sort.js';
import type { DiagonalSearch } from '../../../../src/gpu/keys/merge-path/tuning.js';
import { type MergeSortTuning, mergeSort } from '../../../../src/gpu/keys/merge-sort/merge-sort.js';
import { describeGpu } from '../../../setup/gpu.js';
import { KEY_TYPES, nameOf, specOf, specsOf } from '../../../support/fixed-keys.js';
import { sampled } from '../../../support/tier.js';
import { DISTRIBUTION_NAMES, type Distribution, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkSort, conforms, U32_PAIRS } from '../conformance.js';
import { kernelsOf, SMALL_BLOCK, SMALL_MERGE, SORTS } from '../sorts.js';

const small = (merge: MergeSortTuning['merge'] = {}): MergeSortTuning => ({
  block: SMALL_BLOCK,
  merge: { ...SMALL_MERGE, ...merge },
});

describeGpu('merge sort', () => {
  const gpu = useGpu();
  const check = (tuning: MergeSortTuning, spec: FixedKeySpec, name: Distribution, n: number, seed: number) =>
    checkSort(gpu(), mergeSort(tuning), spec, makeKeys(name, n, keyWords(spec), seed));

  conforms(gpu, SORTS.merge, 5);

  const kernels = specsOf(KEY_TYPES).flatMap((spec) =>
    kernelsOf(spec).map((kernel) => ({ name: nameOf(spec), spec, kernel })),
  );
  it.each(
    sampled(kernels, {
      count: 16,
      seed: 1,
      values: ({ kernel }) => [kernel],
      always: ({ spec, kernel }) => spec.type === 'u64' || (spec.type === 'u32' && kernel !== 'merge-windows'),
    }),
  )('sorts $name with $kernel', async ({ spec, kernel }) => {
    // Even seeds put the differences in the high word, odd seeds in the low word.
    for (const seed of [2, 3]) await check(small({ kernel, windows: 3 }), spec, 'zipf', 700, seed);
    for (const [d, name] of sampled(DISTRIBUTION_NAMES, { count: 13, seed: 1 }).entries())
      await check(small({ kernel, windows: 1 + (d % 3) }), spec, name, 1500, 4 + d);
  });

  const searches: readonly DiagonalSearch[] = ['wide', 'parts', 'binary'];
  it.each(sampled(searches, { count: 3, seed: 1 }))(
    'sorts with diagonal search %s, a few tiles a launch',
    async (search) => {
      for (const n of [127, 5000]) await check(small({ search, launchGroups: 3 }), U32_PAIRS, 'gaussian', n, n);
    },
  );

  const workgroups = [
    [1, 8, 1, 1],
    [4, 16, 32, 32],
    [128, 8, 16, 4],
    [2, 16, 64, 9],
  ] as const;
  it.each(sampled(workgroups, { count: 4, seed: 3 }))(
    'sorts with blocks of %i threads, %i keys each, and tiles of %i, %i each',
    async (threads, keys, mergeThreads, perThread) => {
      const tuning = {
        block: { threads, perThread: keys },
        merge: { threads: mergeThreads, perThread },
      };
      for (const spec of sampled([U32_PAIRS, specOf('u32', false)], { count: 2, seed: 1 }))
        for (const n of [1000, 2049]) await check(tuning, spec, 'uniform', n, n);
    },
  );

  it('sorts at the edges of the blocks and tiles that it chooses', async () => {
    const sizes = [1, 2047, 2048, 2049, 4095, 4096, 4097, 4351, 4352, 4353, 8191, 8192, 8193, 12289, 2 ** 17 + 1];
    for (const n of sampled(sizes, { count: 15, seed: 2 })) await check({}, U32_PAIRS, 'uniform', n, n);
  });

  it.each(
    sampled(
      specsOf(['u32', 'prefix', 'u128']).flatMap((spec) => kernelsOf(spec).map((kernel) => ({ spec, kernel }))),
      { count: 12, seed: 2 },
    ),
  )('fits the workgroup memory that every device has: $spec.type with $kernel', async ({ spec, kernel }) => {
    const limited = { ...gpu(), workgroupBytes: 16384 };
    await checkSort(limited, mergeSort({ merge: { kernel } }), spec, makeKeys('uniform', 5000, keyWords(spec), 11));
  });
});
