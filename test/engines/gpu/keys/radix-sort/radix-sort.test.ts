/**
 * The radix sort in two sweeps per pass, with and without subgroups: digits that are skipped, subgroups of other sizes,
 * and the scatter step chosen for a device.
 */
import { describe, expect, it } from 'vitest';
import type { KernelConstants } from '../../../../../src/engines/gpu/device/compose.js';
import type { Gpu } from '../../../../../src/engines/gpu/device/device.js';
import { type FixedKeySpec, keyWords } from '../../../../../src/engines/gpu/keys/key-sort.js';
import {
  digitShifts,
  RADIX_TUNING,
  type RadixSortTuning,
  radixSort,
} from '../../../../../src/engines/gpu/keys/radix-sort/radix-sort.js';
import { decideSweep } from '../../../../../src/engines/gpu/keys/radix-sort/shapes.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { nameOf, specOf, specsOf } from '../../../../support/fixed-keys.js';
import { sampled } from '../../../../support/tier.js';
import { makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkSort, conforms } from '../conformance.js';
import { SORTS } from '../sorts.js';

describeGpu.each(sampled([SORTS.portableRadix, SORTS.radix], { count: 2, seed: 1 }))('$name', (row) => {
  conforms(useGpu(), row, 1, specOf('prefix', true));
});

describeGpu('radix sort in two sweeps', () => {
  const gpu = useGpu();

  const skipping = [true, false].flatMap((subgroups) =>
    (['u32', 'u64', 'u128'] as const).flatMap((type) =>
      (
        [
          ['zero', 0],
          ['zero', 1],
          ['sixteen', 0],
          ['twoValues', 1],
          ['sorted', 1],
          ['uniform', 2],
        ] as const
      ).map(([name, seed]) => ({ name, seed, type, subgroups })),
    ),
  );
  it.each(
    sampled(skipping, { count: 24, seed: 2, values: ({ name, type }) => [name === 'uniform' && type !== 'u32'] }),
  )(
    'skips digits of $type that are the same in all keys: $name, seed $seed, subgroups: $subgroups',
    async ({ name, seed, type, subgroups }) => {
      const spec = specOf(type, true);
      const sort = radixSort({ ...RADIX_TUNING, subgroups, skipFrom: 0, aheadFrom: type === 'u32' ? 1e9 : 0 });
      await checkSort(gpu(), sort, spec, makeKeys(name, 3000, keyWords(spec), seed));
    },
  );

  const LATE = { sweep: 'one', stall: 4, spins: 1 } as const;
  const reported: readonly (readonly [number, number, number, Partial<RadixSortTuning>])[] = [
    [2, 4, 32768, {}],
    [1, 4, 32768, {}],
    [2, 32, 32768, {}],
    [4, 64, 32768, {}],
    [4, 4, 16384, {}],
    [1, 4, 16384, LATE],
    [2, 4, 32768, LATE],
  ];
  it.each(sampled(reported, { count: 6, seed: 1, always: ([, , , { sweep }], i) => sweep === undefined || i === 5 }))(
    'sorts correctly on a device that reports subgroups of %i to %i lanes and %i bytes: %j',
    async (least, most, workgroupBytes, tuned) => {
      const limited: Gpu = { ...gpu(), subgroups: { least, most }, workgroupBytes };
      for (const spec of sampled([specOf('u32', true), specOf('u128', true)], { count: 2, seed: 1 })) {
        const keys = makeKeys('uniform', 5001, keyWords(spec), least);
        await checkSort(limited, radixSort({ ...RADIX_TUNING, ...tuned }), spec, keys);
      }
    },
  );

  it('has a device with subgroups to test', () => {
    expect(gpu().subgroups).not.toBeNull();
  });
});

it.each([
  [[0xffffffff], [0, 8, 16, 24]],
  [[0], []],
  [[0x00000100], [8]],
  [[0x000ff000], [12]],
  [[0x80000001], [0, 31]],
  [[0x000fffff], [0, 8, 16]],
  [[1, 0], [32]],
  [
    [0xff, 0xf0000000],
    [28, 36],
  ],
  [
    [0xffffffff, 0xffffffff],
    [0, 8, 16, 24, 32, 40, 48, 56],
  ],
])('begins digits at bits where keys differ: %j', (differing, shifts) => {
  expect(digitShifts(differing)).toEqual(shifts);
});

/** The scatter step chosen for a device: kernel, threads and bytes of workgroup memory. */
async function scatterOf(
  least: number,
  most: number,
  workgroupBytes: number,
  spec: FixedKeySpec,
  tuning: RadixSortTuning = RADIX_TUNING,
): Promise<{ name: string; threads: number; bytes: number }> {
  const loaded = new Map<string, KernelConstants>();
  const pipelines = {
    load: (name: string, constants: KernelConstants) => {
      loaded.set(name, constants);
      return Promise.resolve();
    },
  };
  const facts = { vendor: 'nvidia', software: false };
  await radixSort(tuning).load(
    { subgroups: { least, most }, workgroupBytes, pipelines, facts } as unknown as Gpu,
    spec,
  );
  const [name, constants] = [...loaded].find(([n]) => n.startsWith('keys/radix-sort/scatter'))!;
  const { THREADS = 256, FOURS, SUBGROUPS = 0, ITEMS = 4 * FOURS!, SWEEPS } = constants.consts!;
  const words = name.endsWith('portable')
    ? 256 * 8 + 3 * 256 + 16 + THREADS * ITEMS * keyWords(spec)
    : Math.max(THREADS * ITEMS, SUBGROUPS * 256) + SUBGROUPS + 256;
  return { name, threads: THREADS, bytes: 4 * (words + (SWEEPS === 1 ? 2 : 0)) };
}

describe('the scatter step of the radix sort', () => {
  const sizes = [1, 4, 8, 16, 32, 64, 128];
  it('fits every device, in workgroups of whole subgroups', async () => {
    for (const least of sizes) {
      for (const most of sizes.filter((size) => size >= least)) {
        for (const workgroupBytes of [16384, 32768, 49152]) {
          for (const spec of specsOf(['u32', 'u64', 'u128'])) {
            const { name, threads, bytes } = await scatterOf(least, most, workgroupBytes, spec, {
              ...RADIX_TUNING,
              sweep: 'one',
            });
            expect(bytes, `${name} ${least} ${most} ${workgroupBytes} ${nameOf(spec)}`).toBeLessThanOrEqual(
              workgroupBytes,
            );
            if (name.endsWith('subgroups')) expect(threads % most).toBe(0);
          }
        }
      }
    }
  });
  it('uses one sweep if requested, or if it is known to be fast', () => {
    const sweepOf = (
      sweep: RadixSortTuning['sweep'],
      vendor: string,
      software = false,
      subgroups: Gpu['subgroups'] = { least: 32, most: 32 },
    ): string => decideSweep({ facts: { vendor, software }, subgroups } as Gpu, { ...RADIX_TUNING, sweep }).sweep;
    expect([sweepOf('auto', 'nvidia'), sweepOf('one', 'mesa', true), sweepOf('one', 'nvidia', false, null)]).toEqual([
      'one',
      'one',
      'one',
    ]);
    expect([
      sweepOf('auto', 'apple'),
      sweepOf('auto', 'nvidia', true),
      sweepOf('auto', 'nvidia', false, null),
      sweepOf('two', 'nvidia'),
    ]).toEqual(['two', 'two', 'two', 'two']);
  });
  it('uses subgroups on common devices', async () => {
    for (const [least, most, workgroupBytes] of [
      [32, 32, 49152],
      [32, 64, 65536],
      [8, 32, 32768],
      [16, 16, 32768],
      [4, 64, 32768],
      [64, 64, 16384],
    ] as const) {
      expect((await scatterOf(least, most, workgroupBytes, { type: 'u128', values: true })).name).toBe(
        'keys/radix-sort/scatter-subgroups',
      );
    }
  });
});
