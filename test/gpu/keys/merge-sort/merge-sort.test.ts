/**
 * Merge sort of fixed keys against the host's sort: every small size with small blocks and tiles, sizes around the
 * device's own, all types, distributions and variants.
 */
import { it } from 'vitest';
import type { Gpu } from '../../../../src/gpu/device/device.js';
import { type FixedKeySpec, keyWords } from '../../../../src/gpu/keys/key-sort.js';
import type { DiagonalSearch, MergeKernel, MergeTuning } from '../../../../src/gpu/keys/merge-path/tuning.js';
import { type MergeSortTuning, mergeSort } from '../../../../src/gpu/keys/merge-sort/merge-sort.js';
import { describeGpu } from '../../../setup/gpu.js';
import { NIGHTLY, sampled } from '../../../support/tier.js';
import { DISTRIBUTION_NAMES, type Distribution, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkKeySort, KEY_TYPES, nameOf, specsOf } from '../key-sorts.js';

const BLOCK = 64;
const U32_PAIRS: FixedKeySpec = { type: 'u32', values: true };

/** Blocks of 64 keys and tiles of 56: small, and neither divides the other. */
function small(merge: Partial<MergeTuning> = {}): MergeSortTuning {
  return { block: { threads: 8, perThread: 8 }, merge: { threads: 8, perThread: 7, ...merge } };
}

const useTestGpu = useGpu();

function check(
  gpu: Gpu,
  tuning: MergeSortTuning,
  spec: FixedKeySpec,
  distribution: Distribution,
  n: number,
  seed: number,
): Promise<void> {
  return checkKeySort(gpu, mergeSort(tuning), spec, makeKeys(distribution, n, keyWords(spec), seed));
}

/** The kernels that can merge keys of this size. */
const kernelsOf = (spec: FixedKeySpec): readonly MergeKernel[] =>
  (['merge', 'merge-registers', 'merge-narrow'] as const).filter(
    (kernel) => (kernel !== 'merge-registers' || !spec.values) && (kernel !== 'merge-narrow' || keyWords(spec) > 1),
  );
const KERNELS: readonly MergeKernel[] = ['merge', 'merge-narrow', 'merge-windows'];

describeGpu('merge sort', () => {
  for (const spec of [U32_PAIRS, { type: 'u64', values: false }, { type: 'u128', values: true }] as const) {
    it(`sorts ${nameOf(spec)} of every size up to two blocks`, async () => {
      const sizes = Array.from({ length: 2 * BLOCK + 2 }, (_, n) => n);
      // By day the sizes near blocks, and some between.
      const near = (n: number): boolean => (n + 1) % BLOCK <= 2 || n === 2;
      for (const n of sampled(sizes, { count: 48, seed: 1, values: (n) => [n % 6], always: near })) {
        await check(
          useTestGpu(),
          small({ kernel: KERNELS[n % 3], windows: 3 }),
          spec,
          n % 2 === 0 ? 'sixteen' : 'uniform',
          n,
          n,
        );
      }
    });
  }

  it('sorts keys of all types', async () => {
    for (const spec of specsOf(KEY_TYPES).filter(({ values }, i) => NIGHTLY || Number(values) === (i >> 1) % 2)) {
      for (const kernel of kernelsOf(spec)) {
        // Even seeds put the differences in the high word, odd seeds in the low word.
        for (const seed of [2, 3]) await check(useTestGpu(), small({ kernel }), spec, 'zipf', 700, seed);
      }
    }
  });

  for (const spec of [U32_PAIRS, { type: 'u64', values: true }] as const) {
    it(`sorts all distributions of ${nameOf(spec)}`, async () => {
      for (const distribution of DISTRIBUTION_NAMES) {
        for (const kernel of kernelsOf(spec)) {
          for (const seed of [4, 5]) await check(useTestGpu(), small({ kernel }), spec, distribution, 1500, seed);
        }
      }
    });
  }

  it('sorts with every diagonal search, in launches of few tiles', async () => {
    for (const search of ['binary', 'wide', 'parts'] as readonly DiagonalSearch[]) {
      for (const n of [127, 5000])
        await check(useTestGpu(), small({ search, launchGroups: 3 }), U32_PAIRS, 'gaussian', n, n);
    }
  });

  it('sorts with moving windows', async () => {
    for (const type of ['u32', 'u64', 'u128'] as const) {
      for (const windows of [1, 3]) {
        await check(useTestGpu(), small({ kernel: 'merge-windows', windows }), { type, values: true }, 'zipf', 3000, 9);
      }
    }
  });

  it('sorts with other sizes of workgroups', async () => {
    for (const [blockThreads, blockKeys, threads, perThread] of [
      [1, 8, 1, 1],
      [4, 16, 32, 32],
      [128, 8, 16, 4],
      [2, 16, 64, 9],
    ] as const) {
      const tuning = { block: { threads: blockThreads, perThread: blockKeys }, merge: { threads, perThread } };
      for (const n of [1000, 2049]) await check(useTestGpu(), tuning, U32_PAIRS, 'uniform', n, n);
    }
  });

  it('sorts at the edges of the blocks and tiles that it chooses', async () => {
    const sizes = [1, 2047, 2048, 2049, 4095, 4096, 4097, 4351, 4352, 4353, 8191, 8192, 8193, 12289];
    for (const n of sizes) await check(useTestGpu(), {}, U32_PAIRS, 'uniform', n, n);
    for (const type of ['u32', 'u64', 'u128'] as const) {
      await check(useTestGpu(), {}, { type, values: type !== 'u32' }, 'staggered', 12289, 7);
    }
  });

  it('fits the workgroup memory that every device has', async () => {
    const gpu = { ...useTestGpu(), workgroupBytes: 16384 };
    for (const spec of specsOf(['u32', 'prefix', 'u128'])) {
      for (const kernel of kernelsOf(spec)) await check(gpu, { merge: { kernel } }, spec, 'uniform', 5000, 11);
    }
  });

  it('sorts many', async () => {
    for (const n of [2 ** 16 - 1, 2 ** 17 + 1]) await check(useTestGpu(), {}, U32_PAIRS, 'uniform', n, n);
    await check(
      useTestGpu(),
      { merge: { kernel: 'merge-narrow' } },
      { type: 'u64', values: true },
      'uniform',
      2 ** 16,
      16,
    );
  });

  it.runIf(NIGHTLY)(
    'sorts all types, distributions and variants at many sizes',
    async () => {
      for (const spec of specsOf(KEY_TYPES)) {
        for (const distribution of DISTRIBUTION_NAMES) {
          for (const kernel of kernelsOf(spec)) {
            for (const n of [63, 129, 1025, 4097]) {
              for (const seed of [6, 7])
                await check(
                  useTestGpu(),
                  n > 2000 ? { merge: { kernel } } : small({ kernel }),
                  spec,
                  distribution,
                  n,
                  seed,
                );
            }
          }
        }
      }
    },
    3_600_000,
  );
});
