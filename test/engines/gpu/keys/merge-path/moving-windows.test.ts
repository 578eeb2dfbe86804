/**
 * Merges by moving windows: how passes are cut for a number of workgroups, and the kernel with windows of a few keys,
 * fewer workgroups than shares, and several dispatches a pass.
 */
import { describe, expect, it } from 'vitest';
import { keyWords } from '../../../../../src/engines/gpu/keys/key-sort.js';
import {
  launchShares,
  type WindowLimits,
  windowPerThread,
  windowShare,
} from '../../../../../src/engines/gpu/keys/merge-path/moving-windows.js';
import {
  evenPass,
  evenPasses,
  type PassCut,
  slicePasses,
} from '../../../../../src/engines/gpu/keys/merge-path/passes.js';
import type { MergePathTuning } from '../../../../../src/engines/gpu/keys/merge-path/tuning.js';
import { mergeSort } from '../../../../../src/engines/gpu/keys/merge-sort/merge-sort.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { randomBelow } from '../../../../support/random.js';
import { sampled } from '../../../../support/tier.js';
import { DISTRIBUTION_NAMES, type Distribution, makeKeys } from '../../distributions.js';
import { boundsOf, useGpu } from '../../helpers.js';
import { checkParts, checkSort, U32_PAIRS } from '../conformance.js';
import { mergesBy } from '../sorts.js';

const LIMITS: WindowLimits = { groups: 64, leastShare: 100, mostShare: 5000, launchElements: 2 ** 20 };
const cut = (limits: Partial<WindowLimits> = {}): PassCut => ({
  share: (pass) => windowShare(pass, { ...LIMITS, ...limits }),
  ways: 2,
});

describe('the shares of a pass', () => {
  it('are pairs of runs while there are as many as workgroups', () => {
    const passes = evenPasses(64_000, 250, cut());
    expect(passes.map(({ width, share, shares }) => [width, share, shares])).toEqual([
      [250, 500, 128],
      [500, 1000, 64],
      [1000, 1000, 64],
      [2000, 1000, 64],
      [4000, 1000, 64],
      [8000, 1000, 64],
      [16_000, 1000, 64],
      [32_000, 1000, 64],
    ]);
  });

  it('are parts of pairs earlier if one workgroup would merge too much', () => {
    expect(evenPass(64_000, 500, cut({ mostShare: 700 }))).toMatchObject({ share: 700, shares: 128 });
    expect(evenPass(64_000, 32_000, cut({ mostShare: 700 }))).toMatchObject({ share: 700, shares: 92 });
  });

  it('are as many as the workgroups of all dispatches', () => {
    const limits = { ...LIMITS, launchElements: 16_000 };
    const { share, shares } = evenPass(64_000, 32_000, cut(limits));
    expect([share, shares, launchShares(share, limits)]).toEqual([250, 256, 64]);
  });

  it('hold two windows even if workgroups are left without any', () => {
    expect(evenPass(1000, 500, cut())).toMatchObject({ share: 100, shares: 10 });
    expect(evenPass(30, 20, cut())).toMatchObject({ share: 30, shares: 1 });
    expect(evenPass(90, 20, cut())).toMatchObject({ share: 40, shares: 3 });
  });

  it('divide a long pair beside a short one', () => {
    const [{ share, groups, shares }] = slicePasses([0, 5, 10, 10_000, 40_000], cut());
    expect(groups).toEqual([
      [0, 0, 5, 10],
      [1, 10, 10_000, 40_000],
    ]);
    // 40,000 outputs for 62 workgroups: each pair may need one for what is left of it.
    expect([share, shares]).toEqual([646, 63]);
  });

  it('are never a few more than the workgroups, and cover all elements', () => {
    const below = randomBelow(31);
    const limits = { ...LIMITS, leastShare: 1, mostShare: 2 ** 30 };
    for (let round = 0; round < 300; round++) {
      const lengths = Array.from({ length: 2 + below(200) }, () => (below(3) === 0 ? below(3000) : below(40)));
      const bounds = boundsOf(lengths);
      const count = bounds[lengths.length];
      for (const pass of [...slicePasses(bounds, cut(limits)), ...evenPasses(count, 1 + below(50), cut(limits))]) {
        const wanted = Math.max(64, pass.width === 0 ? pass.groups.length : Math.ceil(count / (2 * pass.width)));
        expect(pass.shares).toBeLessThanOrEqual(wanted);
        expect(pass.share * pass.shares).toBeGreaterThanOrEqual(count);
      }
    }
  });

  it('fit the workgroup memory', () => {
    expect([4, 8, 16].map((bytes) => windowPerThread(16_384, 128, bytes))).toEqual([8, 7, 4]);
    for (const bytes of [4, 8, 12, 16])
      for (const threads of [8, 64, 128])
        expect(threads * (windowPerThread(16_384, threads, bytes) * (bytes + 4) + 4 * 8) + 4).toBeLessThan(16_384);
  });
});

describeGpu('merges by moving windows', () => {
  const gpu = useGpu();
  const BY_WINDOWS = { kernel: 'moving-windows', groups: 3 } as const;
  const check = (tuning: Partial<MergePathTuning>, name: Distribution, lengths: readonly number[], seed: number) => {
    const bounds = boundsOf(lengths);
    const keys = makeKeys(name, bounds[lengths.length], keyWords(U32_PAIRS), seed);
    return checkParts(gpu(), mergesBy({ ...BY_WINDOWS, ...tuning }), {
      spec: U32_PAIRS,
      keys,
      parts: 'merged',
      bounds,
    });
  };

  const next = randomBelow(7);
  const LENGTHS: readonly (readonly number[])[] = [
    [1, 1],
    [1, 900],
    [900, 1],
    [33, 32],
    [500, 700],
    [4000, 3],
    [0, 64, 0, 1, 800, 5],
    Array.from({ length: 21 }, () => next(3) * next(90)),
  ];
  // Windows of one key, of a few, of A's the larger, and of the sizes that the paper has.
  const WINDOWS = [
    { threads: 1, perThread: 1 },
    { threads: 1, perThread: 3 },
    { threads: 4, perThread: 2 },
    { threads: 8, perThread: 7, launchGroups: 2 },
    { threads: 32, perThread: 8, launchGroups: 5 },
  ];
  it.each(WINDOWS)('merges runs of any lengths with $threads threads, $perThread keys of B each', async (tuning) => {
    for (const [i, lengths] of LENGTHS.entries())
      for (const name of sampled(DISTRIBUTION_NAMES, { count: 4, seed: i + tuning.threads }))
        await check(tuning, name, lengths, i);
  });

  it('keeps equal keys in the order of their runs', async () => {
    for (const lengths of LENGTHS)
      for (const name of ['zero', 'sixteen'] as const) await check({ threads: 8, perThread: 4 }, name, lengths, 3);
  });

  it('sorts by the simple stage, then the multiple stage', async () => {
    // 64 pairs at first, which 12 workgroups take in turn; then a few pairs for all of them.
    const tuning = {
      block: { threads: 8, perThread: 8 },
      merge: { ...BY_WINDOWS, threads: 8, perThread: 7, groups: 12 },
    } as const;
    for (const [i, name] of sampled(DISTRIBUTION_NAMES, { count: 6, seed: 9 }).entries())
      await checkSort(gpu(), mergeSort(tuning), U32_PAIRS, makeKeys(name, 8192 + 7 * i, keyWords(U32_PAIRS), i));
  });
});
