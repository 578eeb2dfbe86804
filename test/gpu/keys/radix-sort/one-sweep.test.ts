/**
 * The radix sort in one sweep per pass, with and without subgroups: tiles that wait for each other, late tiles, tiles
 * that never publish their counts, and skipped digits.
 */
import { expect, it } from 'vitest';
import type { Gpu } from '../../../../src/gpu/device/device.js';
import type { Scratch } from '../../../../src/gpu/device/pool.js';
import { type FixedKeySpec, keyWords } from '../../../../src/gpu/keys/key-sort.js';
import { RADIX_TUNING, type RadixTuning, radixSort } from '../../../../src/gpu/keys/radix-sort/radix-sort.js';
import { describeGpu } from '../../../setup/gpu.js';
import { specOf } from '../../../support/fixed-keys.js';
import { NIGHTLY, sampled } from '../../../support/tier.js';
import { type Distribution, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkSort, conforms, U32_PAIRS } from '../conformance.js';
import { SORTS } from '../sorts.js';

const LONG_PAIRS = specOf('u64', true);
/** Each case is compiled by itself. */
const few = <T>(cases: readonly T[], seed: number): readonly T[] => sampled(cases, { count: 2, seed });

/** Counts the launches of the scatter step. */
async function passesOf(gpu: Gpu, tuning: RadixTuning, spec: FixedKeySpec, keys: Uint32Array): Promise<number> {
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
  conforms(gpu, row, 2);

  const tuning: RadixTuning = { ...RADIX_TUNING, sweep: 'one', subgroups };
  /** Keys per thread of the smallest tiles. */
  const least = subgroups ? 4 : 1;
  const check = (tuned: Partial<RadixTuning>, spec: FixedKeySpec, name: Distribution, n: number, seed: number) =>
    checkSort(gpu(), radixSort({ ...tuning, ...tuned }), spec, makeKeys(name, n, keyWords(spec), seed));

  const late = [
    [1, 0],
    [3, 5],
    [1, 3],
    [2, 0],
    [7, 256],
  ] as const;
  // A stalled tile publishes no counts. Unless another tile counts its keys, no later tile can finish.
  it.each(few(late, 1))('counts the keys of late tiles: one in %i, after %i look-backs', async (stall, spins) => {
    const stalled = { items: least, stall, spins };
    await check(stalled, U32_PAIRS, 'uniform', 6001, stall);
    for (const name of ['zero', 'sorted', 'zipf'] as const) await check(stalled, U32_PAIRS, name, 3001, 1);
    if (NIGHTLY) await check(stalled, LONG_PAIRS, 'twoValues', 3001, 1);
  });

  const waits = [
    [9, 3],
    [0, 1],
    [0, 4],
    [2, 4],
  ] as const;
  it.each(few(waits, 2))('waits %i rounds, looks at %i words', (spins, looks) =>
    check({ items: least, spins, looks }, U32_PAIRS, 'uniform', 20_000, looks),
  );

  it.each<[Distribution, number, number]>([
    ['zero', 0, 0],
    ['sixteen', 0, 1],
    ['sixteen', 1, 1],
    ['uniform', 0, 4],
  ])('skips digits: %s, seed %i: %i passes', async (name, seed, passes) => {
    const keys = makeKeys(name, 3000, 1, seed);
    const of = (tuned: Partial<RadixTuning>) => passesOf(gpu(), { ...tuning, ...tuned }, U32_PAIRS, keys);
    expect(await of({ skipFrom: 0, aheadFrom: 1e9 })).toBe(passes);
    // The two lowest digits are passed over before it is known which digits differ, so they are never skipped.
    expect(await of({ skipFrom: 0, aheadFrom: 0 })).toBe(passes + (name === 'uniform' ? 0 : 2));
    expect(await of({})).toBe(4);
  });

  const long = [
    ['u64', 5],
    ['u128', 13],
    ['u128', 0],
  ] as const;
  it.each(few(long, 3))('skips digits of %s keys that differ in byte %i', async (type, byte) => {
    const spec = specOf(type, false);
    const keys = new Uint8Array(3000 * 4 * keyWords(spec)).fill(7);
    for (let i = 0; i < 3000; i++) keys[i * 4 * keyWords(spec) + byte] = i * 77;
    const tuned = { ...tuning, skipFrom: 0, aheadFrom: 1e9 };
    expect(await passesOf(gpu(), tuned, spec, new Uint32Array(keys.buffer))).toBe(1);
  });

  it.runIf(subgroups).each(sampled([16, 8, 12, 20], { count: 1, seed: 1 }))('sorts with %i keys a thread', (items) =>
    check({ items }, U32_PAIRS, 'uniform', 6001, items),
  );
});

describeGpu('radix sort in one sweep', () => {
  const gpu = useGpu();
  const reported = [
    [1, 4, 16384],
    [4, 4, 16384],
    [1, 4, 32768],
    [2, 4, 32768],
  ] as const;
  it.each(sampled(reported, { count: 1, seed: 4 }))(
    'is right on a device that reports subgroups of %i to %i lanes and %i bytes',
    async (least, most, workgroupBytes) => {
      const limited: Gpu = { ...gpu(), subgroups: { least, most }, workgroupBytes };
      await checkSort(
        limited,
        radixSort({ ...RADIX_TUNING, sweep: 'one', stall: 4, spins: 1 }),
        U32_PAIRS,
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
