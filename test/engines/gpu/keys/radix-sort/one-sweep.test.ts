/**
 * The radix sort in one sweep per pass, with and without subgroups: tiles that wait for each other, late tiles, tiles
 * that never publish their counts, and skipped digits.
 */
import { expect, it } from 'vitest';
import type { Gpu } from '../../../../../src/engines/gpu/device/device.js';
import type { Scratch } from '../../../../../src/engines/gpu/device/pool.js';
import { type FixedKeySpec, keyWords } from '../../../../../src/engines/gpu/keys/key-sort.js';
import {
  RADIX_TUNING,
  type RadixSortTuning,
  radixSort,
} from '../../../../../src/engines/gpu/keys/radix-sort/radix-sort.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { specOf } from '../../../../support/fixed-keys.js';
import { NIGHTLY, sampled } from '../../../../support/tier.js';
import { type Distribution, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkSort, conforms, U32_PAIRS } from '../conformance.js';
import { SORTS } from '../sorts.js';

/** Counts the launches of the scatter step. */
async function passesOf(gpu: Gpu, tuning: RadixSortTuning, spec: FixedKeySpec, keys: Uint32Array): Promise<number> {
  let passes = 0;
  const pipelines = Object.create(gpu.pipelines) as Gpu['pipelines'];
  pipelines.get = (name, constants) => {
    if (name.startsWith('keys/radix-sort/scatter')) passes++;
    return gpu.pipelines.get(name, constants);
  };
  await checkSort({ ...gpu, pipelines }, radixSort(tuning), spec, keys);
  return passes;
}

describeGpu.each(sampled([SORTS.oneSweep, SORTS.portableOneSweep], { count: 2, seed: 2 }))('$name', (row) => {
  const gpu = useGpu();
  const subgroups = row === SORTS.oneSweep;
  conforms(gpu, row, 4);

  const tuning: RadixSortTuning = { ...RADIX_TUNING, sweep: 'one', subgroups };
  /** Keys per thread of the smallest tiles. */
  const least = subgroups ? 4 : 1;
  // A stalled tile publishes no counts. Unless another tile counts its keys, no later tile can finish.
  const late: readonly Partial<RadixSortTuning>[] = [
    { stall: 1, spins: 0 },
    { stall: 3, spins: 5 },
    { stall: 1, spins: 3 },
    { stall: 2, spins: 0 },
    { stall: 7, spins: 256 },
  ];
  const waits: readonly Partial<RadixSortTuning>[] = [
    { spins: 9, looks: 3 },
    { spins: 0, looks: 1 },
    { spins: 0, looks: 4 },
    { spins: 2, looks: 4 },
  ];
  const items: readonly Partial<RadixSortTuning>[] = subgroups
    ? [{ items: 16 }, { items: 8 }, { items: 12 }, { items: 20 }]
    : [];
  const tunings = [...late, ...waits, ...items].map((tuned) => [JSON.stringify(tuned), tuned] as const);
  // Each is compiled by itself.
  const drawn = sampled(tunings, {
    count: 5,
    seed: 1,
    values: ([, { stall }]) => (stall === undefined ? [] : ['late']),
    always: ([, { looks, items }]) => looks === 1 || items === 16,
  });
  it.each(drawn)('sorts if tiles are late, waits short or tiles of another size: %s', async (_, tuned) => {
    const check = (name: Distribution, n: number, spec = U32_PAIRS): Promise<void> =>
      checkSort(gpu(), radixSort({ ...tuning, items: least, ...tuned }), spec, makeKeys(name, n, keyWords(spec), n));
    await check('uniform', tuned.stall === undefined ? 20_000 : 6001);
    for (const name of ['zero', 'sorted', 'zipf'] as const) await check(name, 3001);
    if (NIGHTLY) await check('twoValues', 3001, specOf('u64', true));
  });

  it.each<[Distribution, number, number]>([
    ['zero', 0, 0],
    ['sixteen', 0, 1],
    ['sixteen', 1, 1],
    ['uniform', 0, 4],
  ])('skips digits: %s, seed %i: %i passes', async (name, seed, passes) => {
    const keys = makeKeys(name, 3000, 1, seed);
    const of = (tuned: Partial<RadixSortTuning>) =>
      passesOf(gpu(), { ...tuning, items: least, ...tuned }, U32_PAIRS, keys);
    expect(await of({ skipFrom: 0, aheadFrom: 1e9 })).toBe(passes);
    // The passes of the two lowest digits run before it is known which digits differ, so these are never skipped.
    expect(await of({ skipFrom: 0, aheadFrom: 0 })).toBe(passes + (name === 'uniform' ? 0 : 2));
    expect(await of({})).toBe(4);
  });

  const long = [
    ['u64', 5],
    ['u128', 13],
    ['u128', 0],
  ] as const;
  it.each(sampled(long, { count: 2, seed: 3 }))(
    'skips digits of %s keys that differ in byte %i',
    async (type, byte) => {
      const spec = specOf(type, false);
      const keys = new Uint8Array(3000 * 4 * keyWords(spec)).fill(7);
      for (let i = 0; i < 3000; i++) keys[i * 4 * keyWords(spec) + byte] = i * 77;
      const tuned = { ...tuning, items: least, skipFrom: 0, aheadFrom: 1e9 };
      expect(await passesOf(gpu(), tuned, spec, new Uint32Array(keys.buffer))).toBe(1);
    },
  );
});

describeGpu('radix sort in one sweep', () => {
  const gpu = useGpu();
  it('reports too many keys', async () => {
    const arrays = { keys: null as unknown as GPUBuffer, values: null };
    const refused = (maxBindingBytes: number, count: number): Promise<unknown> =>
      expect(
        radixSort({ ...RADIX_TUNING, sweep: 'one' }).sort(
          { gpu: { ...gpu(), maxBindingBytes } } as unknown as Scratch,
          U32_PAIRS,
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
