/**
 * The radix sort with one sweep per pass: tiles that wait for each other, late tiles, tiles that never publish their
 * counts, and skipped digits.
 */
import { expect, it } from 'vitest';
import type { Gpu } from '../../../../src/gpu/device/device.js';
import { DevicePool, Scratch } from '../../../../src/gpu/device/pool.js';
import { type FixedKeySpec, type KeyType, keyWords } from '../../../../src/gpu/keys/key-sort.js';
import { RADIX_TUNING, type RadixTuning, radixSort } from '../../../../src/gpu/keys/radix-sort/radix-sort.js';
import { describeGpu } from '../../../setup/gpu.js';
import { NIGHTLY } from '../../../support/tier.js';
import { DISTRIBUTION_NAMES, type Distribution, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import {
  checkKeySort,
  destroyArrays,
  holds,
  KEY_TYPES,
  keyArrays,
  nameOf,
  permuted,
  sortedOrder,
  specsOf,
} from '../key-sorts.js';

const PAIRS: FixedKeySpec = { type: 'u32', values: true };
const LONG_PAIRS: FixedKeySpec = { ...PAIRS, type: 'u64' };
/** Key encoding does not depend on the sweep, so a few types suffice in daily runs. */
const DAILY: readonly FixedKeySpec[] = [PAIRS, { type: 'u64', values: true }, { type: 'u128', values: false }];
/** Compilation takes most of the time, so daily runs take two cases. */
const some = <T>(...cases: readonly T[]): readonly T[] => (NIGHTLY ? cases : cases.slice(0, 2));

/** Counts the launches of the scatter step. */
async function passesOf(gpu: Gpu, tuning: RadixTuning, spec: FixedKeySpec, keys: Uint32Array): Promise<number> {
  let passes = 0;
  const pipelines = Object.create(gpu.pipelines) as Gpu['pipelines'];
  pipelines.get = (name, constants) => {
    if (name.startsWith('keys/radix-sort/scatter')) passes++;
    return gpu.pipelines.get(name, constants);
  };
  await checkKeySort({ ...gpu, pipelines }, radixSort(tuning), spec, keys);
  return passes;
}

describeGpu.each([true, false])('radix sort in one sweep, subgroups: %s', (subgroups) => {
  const gpu = useGpu();
  const tuning: RadixTuning = { ...RADIX_TUNING, sweep: 'one', subgroups };
  /** The smallest tiles. */
  const small: RadixTuning = { ...tuning, items: subgroups ? 4 : 1 };

  it.each(
    (NIGHTLY ? specsOf(KEY_TYPES) : subgroups ? DAILY : DAILY.slice(1)).map(
      (spec, i) => [nameOf(spec), spec, i] as const,
    ),
  )('%s', async (_, spec, number) => {
    const names = NIGHTLY ? DISTRIBUTION_NAMES : DISTRIBUTION_NAMES.filter((__, i) => (i + number) % 9 === 0);
    for (const [i, name] of names.entries())
      await checkKeySort(gpu(), radixSort(tuning), spec, makeKeys(name, 5000 + i, keyWords(spec), i + number));
  });

  it('every size up to one more than two tiles', async () => {
    const tile = 256;
    for (let n = 0; n <= 2 * tile + 1; n += NIGHTLY || n < 10 || n % tile < 2 || n % tile > tile - 2 ? 1 : 23) {
      await checkKeySort(gpu(), radixSort(small), PAIRS, makeKeys('uniform', n, 1, n));
    }
  });

  it.runIf(NIGHTLY).each([11, 13, 15, 17].flatMap((log) => [-1, 0, 1].map((more) => 2 ** log + more)))(
    '%i pairs',
    async (n) => {
      await checkKeySort(gpu(), radixSort(small), PAIRS, makeKeys('uniform', n, 1, n));
      await checkKeySort(gpu(), radixSort(tuning), LONG_PAIRS, makeKeys('gaussian', n, 2, n));
    },
  );

  // A stalled tile publishes no counts. Unless another tile counts its keys, no later tile can finish.
  it.each(some([1, 0], [3, 5], [1, 3], [2, 0], [7, 256]))(
    'counts the keys of late tiles: one in %i, after %i look-backs',
    async (stall, spins) => {
      await checkKeySort(gpu(), radixSort({ ...small, stall, spins }), PAIRS, makeKeys('uniform', 6001, 1, stall));
      for (const name of ['zero', 'sorted', 'zipf'] as const)
        await checkKeySort(gpu(), radixSort({ ...small, stall, spins }), PAIRS, makeKeys(name, 3001, 1, 1));
      if (NIGHTLY)
        await checkKeySort(gpu(), radixSort({ ...small, stall, spins }), LONG_PAIRS, makeKeys('twoValues', 3001, 2, 1));
    },
  );

  it.each(some([9, 3], [0, 1], [0, 4], [2, 4]))('waits %i rounds, looks at %i words', async (spins, looks) => {
    await checkKeySort(gpu(), radixSort({ ...small, spins, looks }), PAIRS, makeKeys('uniform', 20_000, 1, looks));
  });

  it.each<[Distribution, number, number]>([
    ['zero', 0, 0],
    ['sixteen', 0, 1],
    ['sixteen', 1, 1],
    ['uniform', 0, 4],
  ])('skips digits: %s, seed %i: %i passes', async (name, seed, passes) => {
    const keys = makeKeys(name, 3000, 1, seed);
    expect(await passesOf(gpu(), { ...tuning, skipFrom: 0, aheadFrom: 1e9 }, PAIRS, keys)).toBe(passes);
    // The passes of the two lowest digits are submitted before it is known which digits differ, so they are never skipped.
    expect(await passesOf(gpu(), { ...tuning, skipFrom: 0, aheadFrom: 0 }, PAIRS, keys)).toBe(
      passes + (name === 'uniform' ? 0 : 2),
    );
    expect(await passesOf(gpu(), tuning, PAIRS, keys)).toBe(4);
  });

  it('skips digits of long keys', async () => {
    for (const [type, byte] of some(['u128', 13], ['u128', 0], ['u64', 5]) as [KeyType, number][]) {
      const spec = { ...PAIRS, type, values: false };
      const keys = new Uint8Array(3000 * 4 * keyWords(spec)).fill(7);
      for (let i = 0; i < 3000; i++) keys[i * 4 * keyWords(spec) + byte] = i * 77;
      expect(
        await passesOf(gpu(), { ...tuning, skipFrom: 0, aheadFrom: 1e9 }, spec, new Uint32Array(keys.buffer)),
      ).toBe(1);
    }
  });

  it.runIf(subgroups).each(NIGHTLY ? [8, 12, 16, 20] : [16])('sorts with %i keys a thread', async (items) => {
    await checkKeySort(gpu(), radixSort({ ...tuning, items }), PAIRS, makeKeys('uniform', 6001, 1, items));
  });

  it('takes buffers that earlier sorts left', async () => {
    const pool = new DevicePool(gpu());
    for (const n of [5000, 4096, 5003]) {
      const scratch = new Scratch(pool);
      const keys = makeKeys('uniform', n, 1, n);
      const [from, spare] = [keyArrays(gpu(), PAIRS, n, keys), keyArrays(gpu(), PAIRS, n, null)];
      await radixSort(small).load(gpu(), PAIRS);
      const order = sortedOrder(PAIRS, keys);
      await holds(
        gpu(),
        await radixSort(small).sort(gpu(), scratch, PAIRS, from, spare, n),
        permuted(PAIRS, keys, order),
        order,
      );
      scratch.end();
      destroyArrays(from, spare);
    }
    pool.destroyIdle();
  });
});

describeGpu('radix sort in one sweep', () => {
  const gpu = useGpu();
  it.each(
    NIGHTLY
      ? [
          [4, 4, 16384],
          [1, 4, 32768],
          [2, 4, 32768],
        ]
      : [[1, 4, 16384]],
  )(
    'is right on a device that reports subgroups of %i to %i lanes and %i bytes',
    async (least, most, workgroupBytes) => {
      const limited: Gpu = { ...gpu(), subgroups: { least, most }, workgroupBytes };
      await checkKeySort(
        limited,
        radixSort({ ...RADIX_TUNING, sweep: 'one', stall: 4, spins: 1 }),
        PAIRS,
        makeKeys('uniform', 5001, 1, least),
      );
    },
  );
  it('says when there are too many keys', async () => {
    const arrays = { keys: null as unknown as GPUBuffer, values: null };
    const refused = (maxBindingBytes: number, count: number): Promise<unknown> =>
      expect(
        radixSort({ ...RADIX_TUNING, sweep: 'one' }).sort(
          { ...gpu(), maxBindingBytes },
          null as unknown as Scratch,
          PAIRS,
          arrays,
          arrays,
          count,
        ),
      ).rejects.toMatchObject({
        code: 'out-of-device-memory',
        message: expect.stringMatching(/too many keys at once for onesweep/) as string,
      });
    await refused(2 ** 32, 2 ** 30);
    // The chain of small tiles is larger than a binding.
    await refused(1000, 249);
  });
});
