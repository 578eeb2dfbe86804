/**
 * Merges of sorted runs of fixed keys: where the inputs of tiles begin, with every diagonal search, and every merge
 * kernel with runs of any lengths.
 */
import { expect, it } from 'vitest';
import { DevicePool, Scratch } from '../../../../../src/engines/gpu/device/pool.js';
import { type FixedKeySpec, keyWords } from '../../../../../src/engines/gpu/keys/key-sort.js';
import { mergedKeys } from '../../../../../src/engines/gpu/keys/merge-path/merge.js';
import { evenPass, partitionBytes, submitMerge } from '../../../../../src/engines/gpu/keys/merge-path/passes.js';
import {
  type DiagonalSearch,
  loadMerge,
  type MergePathTuning,
  mergeKernels,
  mergeTuning,
} from '../../../../../src/engines/gpu/keys/merge-path/tuning.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { boundsBy, KEY_TYPES, nameOf, permuted, specsOf, stableOrder } from '../../../../support/fixed-keys.js';
import { randomBelow } from '../../../../support/random.js';
import { NIGHTLY, sampled } from '../../../../support/tier.js';
import { DISTRIBUTION_NAMES, type Distribution, makeKeys } from '../../distributions.js';
import { boundsOf, readWords, upload, useGpu } from '../../helpers.js';
import { checkParts, conforms, destroyArrays, keyArrays, U32_KEYS, U32_PAIRS } from '../conformance.js';
import { byKernels, kernelsOf, mergesBy, SMALL_MERGE, SMALL_PAIRS, SORTS, smallMerge } from '../sorts.js';

const SEARCHES: readonly DiagonalSearch[] = ['binary', 'wide', 'parts'];
const TILE = 56;

/** All pairs of two lists; `count` of them in tier all, with each value of both lists. */
function pairs<A, B>(first: readonly A[], second: readonly B[], count: number): readonly (readonly [A, B])[] {
  return sampled(
    first.flatMap((a) => second.map((b) => [a, b] as const)),
    { count, seed: count, values: ([a, b]) => [first.indexOf(a), second.indexOf(b)] },
  );
}

/** For each tile, the position in each run where it starts, and the ends: found by merging step by step. */
function partsOf(codes: Uint32Array, bounds: readonly number[]): number[] {
  const partitions: number[] = [];
  const ends = bounds.slice(1);
  const at = bounds.slice(0, -1);
  for (let out = bounds[0]; out < ends[ends.length - 1]; out++) {
    if ((out - bounds[0]) % TILE === 0) partitions.push(...at, ...ends);
    let least = -1;
    for (const [run, i] of at.entries()) {
      if (i < ends[run] && (least < 0 || codes[i] < codes[at[least]])) least = run;
    }
    at[least]++;
  }
  return partitions;
}

/** Keys whose first `shared` bits are the same, with few values below: many tie in 32 bits. */
function keysSharing(shared: number, words: number, count: number): Uint32Array {
  const next = randomBelow(shared);
  const prefix = 0x5555555555555555n & ~((1n << BigInt(64 - shared)) - 1n);
  const keys = new Uint32Array(count * words).fill(9);
  for (let i = 0; i < count; i++) {
    const code = prefix | (BigInt(next(4)) << BigInt(62 - Math.min(shared, 62))) | BigInt(next(5));
    keys[(i + 1) * words - 2] = Number(code & 0xffffffffn);
    keys[(i + 1) * words - 1] = Number(code >> 32n);
  }
  return keys;
}

describeGpu('merges of fixed keys', () => {
  const gpu = useGpu();
  /** Merges runs of these lengths. */
  const check = (
    tuning: Partial<MergePathTuning>,
    spec: FixedKeySpec,
    name: Distribution,
    lengths: readonly number[],
    seed = 8,
  ): Promise<void> => {
    const bounds = boundsOf(lengths);
    const keys = makeKeys(name, bounds[lengths.length], keyWords(spec), seed);
    return checkParts(gpu(), mergesBy(tuning), { spec, keys, parts: 'merged', bounds });
  };

  conforms(gpu, SORTS.runs, 13);

  it.each([SORTS.runsInParts, SORTS.runsInWindows])('gpusort/kernels does $name', async (row) => {
    for (const spec of [U32_PAIRS, { type: 'f64', values: false, descending: true } as const])
      for (const where of ['in place', 'elsewhere'] as const)
        for (const lengths of [[], [1], [2000, 1], [900, 0, 3000, 77, 1024]]) {
          const bounds = boundsOf(lengths);
          const keys = makeKeys('extremes', bounds.at(-1)!, keyWords(spec), lengths.length);
          await checkParts(gpu(), byKernels(row, where), { spec, keys, parts: 'merged', bounds });
        }
  });

  // Around one and several tiles; very unequal; many, some of them empty.
  const edges = [0, 1, 2, 31, TILE - 1, TILE, TILE + 1, 2 * TILE, 2 * TILE + 1, 3 * TILE, 3 * TILE + 1, 1000];
  const next = randomBelow(3);
  const lists = [
    [],
    [0],
    [5],
    [0, 0],
    [100, 0, 3],
    [64, 64, 64],
    [0, 1, 700, 2, 0, 65, 63, 0],
    Array.from({ length: 33 }, (_, i) => (i % 5 === 0 ? 0 : next(150))),
    [3, 20_000],
    [20_000, 77],
    [1, 60_000],
    [60_000, 1],
    ...(NIGHTLY ? [[1, 1 << 20]] : []),
  ];
  it.each(SEARCHES.flatMap((search) => [1, 3].map((windows) => [search, windows] as const)))(
    'merges runs of any lengths, search %s, windows: %i',
    async (search, windows) => {
      const tuning = { ...SMALL_PAIRS, search, windows, kernel: windows > 1 ? 'merge-windows' : 'merge' } as const;
      const all = [
        ...pairs(edges, edges, 40),
        ...sampled(lists, { count: 12, seed: windows, values: (_, i) => [i % 4] }),
      ];
      for (const [i, lengths] of all.entries()) {
        const name = (['uniform', 'zero', 'sixteen', 'gaussian'] as const)[i % 4];
        await check({ ...tuning, launchGroups: 4 + i }, U32_PAIRS, name, lengths, i);
      }
    },
  );

  it.each([
    ...SEARCHES.map((search) => [search, 2, { ...SMALL_PAIRS, search }] as const),
    ['four', 4, SMALL_MERGE] as const,
  ])('finds where inputs begin, search %s', async (_, ways, tuning) => {
    const kernels = mergeKernels(gpu(), U32_KEYS, mergeTuning(gpu(), U32_KEYS, tuning));
    await loadMerge(kernels);
    const sizes = [
      [64, 128],
      [200, 1000],
      [512, 1024],
      [1000, 1100],
      [100, 1250],
      [3000, 5999],
    ] as const;
    for (const [name, [width, n]] of pairs(DISTRIBUTION_NAMES, sizes, 20)) {
      const unsorted = makeKeys(name, n, 1, width);
      const keys = permuted(
        U32_KEYS,
        unsorted,
        stableOrder(
          U32_KEYS,
          unsorted,
          boundsBy(n, () => width),
        ),
      );
      const [from, to] = [keyArrays(gpu(), U32_KEYS, n, keys), keyArrays(gpu(), U32_KEYS, n, null)];
      const step = evenPass(n, width, { share: TILE, ways });
      const partitions = upload(gpu(), new Uint32Array(0), partitionBytes([step]) + 16);
      submitMerge({ gpu: gpu(), kernels, elements: mergedKeys(U32_KEYS, n), passes: [step], partitions }, from, to, {
        stage: 'sort',
        label: 'merge',
        atOnce: 1,
      });
      const expected: number[] = [];
      for (let begin = 0; begin < n; begin += ways * width) {
        const bounds = Array.from({ length: ways + 1 }, (_, run) => Math.min(begin + run * width, n));
        expected.push(...partsOf(keys, bounds));
      }
      expect(step.shares * 2 * ways).toBe(expected.length);
      expect([...(await readWords(gpu(), partitions))]).toEqual([...expected, ...Array<number>(4).fill(0xa5a5a5a5)]);
      partitions.destroy();
      destroyArrays(from, to);
    }
  });

  const kernels = specsOf(KEY_TYPES).flatMap((spec) =>
    kernelsOf(spec).map((kernel) => [nameOf(spec), kernel, spec] as const),
  );
  it.each(
    sampled(kernels, {
      count: 16,
      seed: 5,
      values: ([, kernel]) => [kernel],
      always: ([, , { type }]) => type === 'u32' || type === 'u64' || type === 'u128',
    }),
  )('merges %s with %s, compared in part and in full', async (_, kernel, spec) => {
    const tuning = { ...smallMerge(kernel), windows: 3 };
    for (const seed of [8, 9]) await check(tuning, spec, 'zipf', [300, 0, 41, 7, 500, 56], seed);
    const drawn = DISTRIBUTION_NAMES.flatMap((name) => SEARCHES.map((search) => [name, search] as const));
    for (const [name, search] of sampled(drawn, { count: 2, seed: 1 }))
      for (const both of [
        [0, 70],
        [113, 56],
        [1000, 3],
        [2000, 2000],
      ])
        await check({ ...tuning, search }, spec, name, both);
    if (keyWords(spec) === 1 || spec.type === 'prefix') return;
    const lengths = [
      [500, 500],
      [1, 999],
      [113, 56],
    ] as const;
    for (const [shared, [first, second]] of pairs([0, 1, 17, 31, 32, 33, 40, 63], lengths, 12)) {
      const keys = keysSharing(shared, keyWords(spec), first + second);
      const bounds = [0, first, first + second];
      await checkParts(gpu(), mergesBy(tuning), { spec, keys, parts: 'merged', bounds });
    }
  });

  it('merges keys without values if a thread has more than merge-registers holds', () =>
    check({ threads: 8, perThread: 11, kernel: 'merge-registers' }, U32_KEYS, 'uniform', [300, 500, 41]));

  it.each(sampled(specsOf(KEY_TYPES), { count: 8, seed: 6, values: ({ type, values }) => [type, values] }))(
    'merges %o four runs at a time, 1 to 9 of them',
    async (spec) => {
      const lengths = randomBelow(4);
      for (const perThread of keyWords(spec) === 4 ? [8] : [8, 16]) {
        for (let runs = 1; runs <= 9; runs++) {
          const some = Array.from({ length: runs }, (_, i) => (i % 4 === runs % 5 ? 0 : lengths(5 * TILE)));
          for (const name of sampled(['uniform', 'zero', 'sixteen', 'extremes'] as const, { count: 2, seed: runs }))
            await check({ kernel: 'merge-four', threads: 8, perThread }, spec, name, some, runs);
        }
      }
    },
  );

  it('ends soon if runs are not sorted', async () => {
    const [n, bounds] = [6001, [0, 700, 1500, 1501, 4000, 6001]];
    const [from, spare] = [
      keyArrays(gpu(), U32_KEYS, n, makeKeys('uniform', n, 1, 1)),
      keyArrays(gpu(), U32_KEYS, n, null),
    ];
    const scratch = new Scratch(new DevicePool(gpu()));
    const merged = await mergesBy(SMALL_MERGE).sort(scratch, U32_KEYS, from, spare, n, bounds);
    const words = await readWords(gpu(), merged.keys);
    expect(words.subarray(n).every((word) => word === 0xa5a5a5a5)).toBe(true);
    scratch.end();
    destroyArrays(from, spare);
  });

  const chosen = kernels.filter(
    ([, , { type, values }]) => type === 'u32' || (values && type !== 'prefix' && type !== 'i32'),
  );
  it.each(sampled(chosen, { count: 12, seed: 2 }))(
    'merges %s with %s in the tiles that it chooses',
    (_, kernel, spec) => check({ kernel }, spec, 'staggered', [9000, 1, 4352, 0, 20_000]),
  );

  it.runIf(NIGHTLY)('merges in dispatches that must be folded', async () => {
    for (const search of SEARCHES)
      await check({ threads: 1, perThread: 1, search }, U32_PAIRS, 'uniform', [33_000, 33_001]);
  });
});

it('lays out groups of runs in tiles', () => {
  const pairs = { share: 64, ways: 2 } as const;
  expect(evenPass(1000, 100, pairs).shares).toBe(5 * 4);
  expect(evenPass(1001, 100, pairs).shares).toBe(5 * 4 + 1);
  expect(evenPass(64, 64, pairs).shares).toBe(1);
  expect(evenPass(1000, 100, { share: 64, ways: 4 }).shares).toBe(7 + 7 + 4);
});
