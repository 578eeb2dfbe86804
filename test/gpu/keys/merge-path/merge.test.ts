/**
 * Merges of sorted runs of fixed keys: two runs of any lengths, and many runs, with every diagonal search and merge
 * kernel, against a stable sort on the host.
 */
import { expect, it } from 'vitest';
import type { Gpu } from '../../../../src/gpu/device/device.js';
import { submitPass } from '../../../../src/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../src/gpu/device/pool.js';
import { type FixedKeySpec, type KeyArrays, keyWords } from '../../../../src/gpu/keys/key-sort.js';
import { loadMerges, mergeRuns } from '../../../../src/gpu/keys/merge-path/merge.js';
import { encodeMergePass, evenLayout, PARTITION_BYTES } from '../../../../src/gpu/keys/merge-path/passes.js';
import {
  type DiagonalSearch,
  loadMerge,
  type MergeKernel,
  type MergeTuning,
  mergeKernels,
  mergeTuning,
} from '../../../../src/gpu/keys/merge-path/tuning.js';
import { describeGpu } from '../../../setup/gpu.js';
import { randomBelow } from '../../../support/random.js';
import { NIGHTLY, sampled } from '../../../support/tier.js';
import { DISTRIBUTION_NAMES, type Distribution, makeKeys } from '../../distributions.js';
import { boundsOf, readWords, upload, useGpu } from '../../helpers.js';
import { destroyArrays, holds, KEY_TYPES, keyArrays, permuted, sortedOrder, specsOf } from '../key-sorts.js';

const SEARCHES: readonly DiagonalSearch[] = ['binary', 'wide', 'parts'];
const U32_PAIRS: FixedKeySpec = { type: 'u32', values: true };
const SMALL: Partial<MergeTuning> = { threads: 8, perThread: 7 };
const TILE = 56;
const KERNELS: readonly MergeKernel[] = ['merge', 'merge-registers', 'merge-narrow', 'merge-windows'];
/** The kernels that can merge keys of this size. */
const kernelsOf = (spec: FixedKeySpec): readonly MergeKernel[] =>
  KERNELS.filter(
    (kernel) => (kernel !== 'merge-narrow' || keyWords(spec) > 1) && (kernel !== 'merge-registers' || !spec.values),
  );

const useTestGpu = useGpu();

/** Keys in runs of these lengths, each sorted stably by `spec`. */
function sortedRuns(
  spec: FixedKeySpec,
  distribution: Distribution,
  lengths: readonly number[],
  seed: number,
): Uint32Array {
  const words = keyWords(spec);
  const keys = makeKeys(
    distribution,
    lengths.reduce((a, b) => a + b, 0),
    words,
    seed,
  );
  let at = 0;
  for (const length of lengths) {
    const run = keys.slice(at * words, (at + length) * words);
    keys.set(permuted(spec, run, sortedOrder(spec, run)), at * words);
    at += length;
  }
  return keys;
}

/** Merges on the device with `merge` and expects the result of a stable sort on the host. */
async function checkMerge(
  gpu: Gpu,
  spec: FixedKeySpec,
  keys: Uint32Array,
  tuning: Partial<MergeTuning>,
  merge: (scratch: Scratch, from: KeyArrays, spare: KeyArrays) => Promise<KeyArrays>,
): Promise<void> {
  const n = keys.length / keyWords(spec);
  const pool = new DevicePool(gpu);
  const scratch = new Scratch(pool);
  const [from, spare] = [keyArrays(gpu, spec, n, keys), keyArrays(gpu, spec, n, null)];
  await loadMerges(gpu, spec, tuning);
  const merged = await merge(scratch, from, spare);
  const order = sortedOrder(spec, keys);
  await holds(gpu, merged, permuted(spec, keys, order), order);
  scratch.end();
  pool.destroyIdle();
  destroyArrays(from, spare);
}

function checkTwo(
  gpu: Gpu,
  spec: FixedKeySpec,
  distribution: Distribution,
  first: number,
  second: number,
  tuning: Partial<MergeTuning>,
): Promise<void> {
  const keys = sortedRuns(spec, distribution, [first, second], first + 2 * second);
  return checkMerge(gpu, spec, keys, tuning, (scratch, from, spare) =>
    mergeRuns(gpu, scratch, spec, from, spare, [0, first, first + second], tuning),
  );
}

function checkRuns(
  gpu: Gpu,
  spec: FixedKeySpec,
  distribution: Distribution,
  lengths: readonly number[],
  tuning: Partial<MergeTuning>,
  seed = 8,
): Promise<void> {
  const keys = sortedRuns(spec, distribution, lengths, seed);
  return checkMerge(gpu, spec, keys, tuning, (scratch, from, spare) =>
    mergeRuns(gpu, scratch, spec, from, spare, boundsOf(lengths), tuning),
  );
}

/** All pairs of two lists; by day `count` of them, with each value of both lists. */
function pairs<A, B>(first: readonly A[], second: readonly B[], count: number): readonly (readonly [A, B])[] {
  return sampled(
    first.flatMap((a) => second.map((b) => [a, b] as const)),
    { count, seed: count, values: ([a, b]) => [first.indexOf(a), second.indexOf(b)] },
  );
}

/** The positions in both inputs where each tile starts, found by merging step by step. */
function partsOf(codes: readonly number[], begin: number, middle: number, end: number): number[] {
  const partitions: number[] = [];
  let [a, b] = [begin, middle];
  for (let out = begin; out < end; out++) {
    if ((out - begin) % TILE === 0) partitions.push(a, b, middle, end);
    if (a < middle && (b >= end || codes[b] >= codes[a])) a++;
    else b++;
  }
  return partitions;
}

describeGpu('merges of fixed keys', () => {
  for (const search of SEARCHES) {
    it(`merges two runs of any lengths, search ${search}`, async () => {
      const lengths = [0, 1, 2, 31, TILE - 1, TILE, TILE + 1, 2 * TILE, 2 * TILE + 1, 1000];
      for (const [first, second] of pairs(lengths, lengths, 40)) {
        await checkTwo(useTestGpu(), U32_PAIRS, (first + second) % 2 === 0 ? 'sixteen' : 'uniform', first, second, {
          ...SMALL,
          search,
        });
      }
    });

    it(`merges two runs in moving windows, search ${search}`, async () => {
      const tuning = { ...SMALL, kernel: 'merge-windows', windows: 3, search } as const;
      const lengths = [0, 1, TILE, TILE + 1, 2 * TILE, 3 * TILE, 3 * TILE + 1, 1000];
      for (const [first, second] of pairs(lengths, lengths, 30)) {
        const distribution = (first + second) % 2 === 0 ? 'sixteen' : 'gaussian';
        await checkTwo(useTestGpu(), U32_PAIRS, distribution, first, second, tuning);
      }
    });

    it(`merges two runs of very unequal lengths, search ${search}`, async () => {
      const long = search !== 'binary' ? 60_000 : NIGHTLY ? 1 << 20 : 1 << 17;
      for (const [first, second] of [
        [1, long],
        [long, 1],
        [3, 20_000],
        [20_000, 77],
      ] as const) {
        await checkTwo(useTestGpu(), U32_PAIRS, 'gaussian', first, second, { search });
      }
    });

    it(`finds where inputs begin, search ${search}`, async () => {
      const gpu = useTestGpu();
      const spec: FixedKeySpec = { ...U32_PAIRS, values: false };
      const kernels = mergeKernels(spec, mergeTuning(gpu, spec, { ...SMALL, search }));
      await loadMerge(gpu, kernels);
      const sizes = [
        [64, 128],
        [200, 1000],
        [512, 1024],
        [1000, 1100],
        [3000, 5999],
      ] as const;
      for (const [distribution, [width, n]] of pairs(DISTRIBUTION_NAMES, sizes, 20)) {
        const lengths = Array.from({ length: Math.ceil(n / width) }, (_, i) => Math.min(width, n - i * width));
        const keys = sortedRuns(spec, distribution, lengths, width);
        const [from, to] = [keyArrays(gpu, spec, n, keys), keyArrays(gpu, spec, n, null)];
        const layout = evenLayout(n, width, TILE);
        const partitions = upload(gpu, new Uint32Array(0), PARTITION_BYTES * (layout.shares + 1));
        submitPass(gpu, 'sort', 'merge', (pass) => {
          encodeMergePass(gpu, pass, kernels, spec, from, to, n, partitions, layout);
        });
        const expected: number[] = [];
        for (let begin = 0; begin < n; begin += 2 * width) {
          expected.push(
            ...partsOf(Array.from(keys), begin, Math.min(begin + width, n), Math.min(begin + 2 * width, n)),
          );
        }
        expect(layout.shares * 4).toBe(expected.length);
        expect([...(await readWords(gpu, partitions))]).toEqual([...expected, ...Array<number>(4).fill(0xa5a5a5a5)]);
        partitions.destroy();
        destroyArrays(from, to);
      }
    });

    it(`merges many runs, some of them empty, search ${search}`, async () => {
      const next = randomBelow(3);
      const many = Array.from({ length: 33 }, (_, i) => (i % 5 === 0 ? 0 : next(150)));
      const lists = [[], [0], [5], [0, 0], [1, 1], [100, 0, 3], [64, 64, 64], [0, 1, 700, 2, 0, 65, 63, 0], many];
      for (const [lengths, distribution] of pairs(lists, ['uniform', 'zero', 'sixteen'] as const, 15))
        await checkRuns(useTestGpu(), U32_PAIRS, distribution, lengths, { ...SMALL, search, launchGroups: 4 });
    });
  }

  it('merges runs of other types', async () => {
    for (const spec of specsOf(NIGHTLY ? KEY_TYPES : ['u32', 'u64', 'u128'])) {
      for (const kernel of kernelsOf(spec)) {
        for (const seed of [8, 9])
          await checkRuns(useTestGpu(), spec, 'zipf', [300, 0, 41, 7, 500, 56], { ...SMALL, kernel }, seed);
      }
    }
  });

  it('merges keys with a common prefix, compared in part and in full', async () => {
    for (const type of ['u64', 'u128'] as const) {
      for (const [first, second] of [
        [500, 500],
        [1, 999],
        [113, 56],
      ] as const) {
        const bits = [0, 1, 17, 31, 32, 33, 40, 63];
        // By day, each length meets half of them.
        for (const shared of bits.filter((_, i) => NIGHTLY || (i + first) % 2 === 0)) {
          // 64-bit codes that share their first `shared` bits and have few values below, so that many tie in 32 bits.
          const spec: FixedKeySpec = { type, values: true };
          const words = keyWords(spec);
          const next = randomBelow(shared);
          const codes = Array.from(
            { length: first + second },
            () => (BigInt(next(4)) << BigInt(62 - Math.min(shared, 62))) | BigInt(next(5)),
          );
          const keys = new Uint32Array(
            codes.flatMap((code) => {
              const all = code | (0x5555555555555555n & ~((1n << BigInt(64 - shared)) - 1n));
              return [...Array<number>(words - 2).fill(9), Number(all & 0xffffffffn), Number(all >> 32n)];
            }),
          );
          for (const [begin, end] of [
            [0, first],
            [first, first + second],
          ] as const) {
            const run = keys.slice(begin * words, end * words);
            keys.set(permuted(spec, run, sortedOrder(spec, run)), begin * words);
          }
          for (const kernel of KERNELS) {
            const tuning = { ...SMALL, kernel };
            await checkMerge(useTestGpu(), spec, keys, tuning, (scratch, from, spare) =>
              mergeRuns(useTestGpu(), scratch, spec, from, spare, [0, first, first + second], tuning),
            );
          }
        }
      }
    }
  });

  it('merges with the tiles that it chooses', async () => {
    for (const [type, values] of [
      ['u32', true],
      ['u32', false],
      ['u64', true],
      ['u128', true],
    ] as const) {
      for (const kernel of KERNELS) {
        await checkRuns(useTestGpu(), { type, values }, 'staggered', [9000, 1, 4352, 0, 20_000], {
          kernel,
        });
      }
    }
  });

  it.runIf(NIGHTLY)('merges in dispatches that must be folded', async () => {
    for (const search of SEARCHES) {
      await checkTwo(useTestGpu(), U32_PAIRS, 'uniform', 33_000, 33_001, { threads: 1, perThread: 1, search });
    }
  });

  it.runIf(NIGHTLY)(
    'merges all types, distributions and variants',
    async () => {
      for (const spec of specsOf(KEY_TYPES)) {
        for (const distribution of DISTRIBUTION_NAMES) {
          for (const kernel of kernelsOf(spec)) {
            for (const search of SEARCHES) {
              for (const [first, second] of [
                [0, 70],
                [113, 56],
                [1000, 3],
                [2000, 2000],
              ] as const) {
                await checkTwo(useTestGpu(), spec, distribution, first, second, { ...SMALL, kernel, search });
              }
            }
          }
        }
      }
    },
    3_600_000,
  );
});

it('lays out pairs of runs in tiles', () => {
  expect(evenLayout(1000, 100, 64).shares).toBe(5 * 4);
  expect(evenLayout(1001, 100, 64).shares).toBe(5 * 4 + 1);
  expect(evenLayout(64, 64, 64).shares).toBe(1);
});
