/** The radix sort against the host's: every type of key, with and without subgroups, every size around its tiles. */
import { describe, expect, it } from 'vitest';
import type { KernelConstants } from '../../../../src/gpu/device/compose.js';
import type { Gpu } from '../../../../src/gpu/device/device.js';
import { type FixedKeySpec, keyWords } from '../../../../src/gpu/keys/key-sort.js';
import { RADIX_TUNING, type RadixTuning, radixSort } from '../../../../src/gpu/keys/radix-sort/radix-sort.js';
import { decideSweep } from '../../../../src/gpu/keys/radix-sort/tuning.js';
import { describeGpu } from '../../../setup/gpu.js';
import { NIGHTLY } from '../../../support/tier.js';
import { DISTRIBUTION_NAMES, type Distribution, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkKeySort, KEY_TYPES, nameOf, specsOf } from '../key-sorts.js';

const PAIRS: FixedKeySpec = { type: 'u32', values: true };

describeGpu('radix sort', () => {
  const gpu = useGpu();
  describe.each([true, false])('subgroups: %s', (subgroups) => {
    const tuning = { ...RADIX_TUNING, subgroups };
    /** The smallest tiles, and so few blocks that some have several tiles. */
    const small = { ...tuning, items: subgroups ? 4 : 1, blocks: 3 };

    // Key encoding does not depend on subgroups. Daily runs take every third or fifth spec.
    it.each(
      specsOf(KEY_TYPES)
        .map((spec, i) => [nameOf(spec), spec, i] as const)
        .filter(([, , i]) => NIGHTLY || i % (subgroups ? 3 : 5) === 0),
    )('%s', async (_, spec, number) => {
      const names = NIGHTLY ? DISTRIBUTION_NAMES : DISTRIBUTION_NAMES.filter((__, i) => (i + number) % 6 === 0);
      for (const [i, name] of names.entries())
        await checkKeySort(gpu(), radixSort(tuning), spec, makeKeys(name, 5000 + i, keyWords(spec), i + number));
    });
    it('every size up to one more than two tiles', async () => {
      const tile = subgroups ? 64 * 4 : 256;
      for (let n = 0; n <= 2 * tile + 1; n += NIGHTLY || n < 20 || n % tile < 2 || n % tile > tile - 2 ? 1 : 11) {
        await checkKeySort(gpu(), radixSort(small), PAIRS, makeKeys('uniform', n, 1, n));
      }
    });
    it.each((NIGHTLY ? [11, 13, 15, 17] : [11, 14]).flatMap((log) => [-1, 0, 1].map((more) => 2 ** log + more)))(
      '%i pairs',
      async (n) => {
        await checkKeySort(gpu(), radixSort(tuning), PAIRS, makeKeys('uniform', n, 1, n));
        await checkKeySort(gpu(), radixSort(small), { ...PAIRS, type: 'u64' }, makeKeys('gaussian', n, 2, n));
      },
    );
    it.each<[Distribution, number]>([
      ['zero', 0],
      ['zero', 1],
      ['sixteen', 0],
      ['twoValues', 1],
      ['sorted', 1],
    ])('skips digits: %s, seed %i', async (name, seed) => {
      for (const type of ['u32', 'u64', 'u128'] as const) {
        const spec = { type, values: true };
        await checkKeySort(
          gpu(),
          radixSort({ ...tuning, skipFrom: 0, aheadFrom: type === 'u64' ? 0 : 1e9 }),
          spec,
          makeKeys(name, 3000, keyWords(spec), seed),
        );
      }
    });
  });
  it.each([
    [2, 4, 32768],
    [1, 4, 32768],
    [2, 32, 32768],
    [4, 64, 32768],
    [4, 4, 16384],
  ])(
    'is right on a device that reports subgroups of %i to %i lanes and %i bytes',
    async (least, most, workgroupBytes) => {
      const limited: Gpu = { ...gpu(), subgroups: { least, most }, workgroupBytes };
      for (const type of ['u32', 'u128'] as const) {
        const spec = { type, values: true };
        await checkKeySort(limited, radixSort(), spec, makeKeys('uniform', 5001, keyWords(spec), least));
      }
    },
  );
  it('takes the path that was requested', () => {
    expect(gpu().subgroups).not.toBeNull();
  });
});

/** The scatter step chosen for a device: kernel, threads and bytes of workgroup memory. */
async function scatterOf(
  least: number,
  most: number,
  workgroupBytes: number,
  spec: FixedKeySpec,
  tuning: RadixTuning = RADIX_TUNING,
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
      sweep: RadixTuning['sweep'],
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
