/** The radix sort against the host's: every type of key, with subgroups and without, every size round its tiles. */
import { describe, expect, it } from 'vitest';
import { keyWords, type KeySpec } from '../../../src/gpu/keys.js';
import { radixSort, RADIX_TUNING } from '../../../src/gpu/radix-sort/radix-sort.js';
import { describeGpu } from '../../setup/gpu.js';
import { DISTRIBUTION_NAMES, makeKeys, type Distribution } from '../distributions.js';
import { useGpu } from '../helpers.js';
import { checkKeySort, KEY_TYPES, nameOf, specsOf } from '../key-sorts.js';

const nightly = process.env.GPUSORT_NIGHTLY === '1';
const PAIRS: KeySpec = { type: 'u32', descending: false, values: true };

describeGpu('radix sort', () => {
  const gpu = useGpu();
  describe.each([true, false])('subgroups: %s', (subgroups) => {
    const tuning = { ...RADIX_TUNING, subgroups };
    /** A tile of the fewest keys, and few enough blocks that some have several tiles. */
    const small = { ...tuning, items: subgroups ? 4 : 1, blocks: 3 };

    it.each(specsOf(KEY_TYPES).map((spec, i) => [nameOf(spec), spec, i] as const))('%s', async (_, spec, number) => {
      const names = nightly ? DISTRIBUTION_NAMES : DISTRIBUTION_NAMES.filter((__, i) => (i + number) % 6 === 0);
      for (const [i, name] of names.entries()) await checkKeySort(gpu(), radixSort(tuning), spec, makeKeys(name, 5000 + i, keyWords(spec), i + number));
    });
    it('every size up to two tiles and one', async () => {
      const tile = subgroups ? 64 * 4 : 256;
      for (let n = 0; n <= 2 * tile + 1; n += nightly || n < 20 || n % tile < 2 || n % tile > tile - 2 ? 1 : 11) {
        await checkKeySort(gpu(), radixSort(small), PAIRS, makeKeys('uniform', n, 1, n));
      }
    });
    it.each((nightly ? [11, 13, 15, 17] : [11, 14]).flatMap((log) => [-1, 0, 1].map((more) => 2 ** log + more)))('%i pairs', async (n) => {
      await checkKeySort(gpu(), radixSort(tuning), PAIRS, makeKeys('uniform', n, 1, n));
      await checkKeySort(gpu(), radixSort(small), { ...PAIRS, type: 'u64' }, makeKeys('gaussian', n, 2, n));
    });
    it.each<[Distribution, number]>([['zero', 0], ['zero', 1], ['sixteen', 0], ['twoValues', 1], ['sorted', 1]])('skips digits: %s, seed %i', async (name, seed) => {
      for (const type of ['u32', 'f64', 'u128'] as const) {
        const spec = { type, descending: seed === 1, values: true };
        await checkKeySort(gpu(), radixSort({ ...tuning, skipFrom: 0, aheadFrom: type === 'f64' ? 0 : 1e9 }), spec, makeKeys(name, 3000, keyWords(spec), seed));
      }
    });
  });
  it('takes the path that was asked for', () => { expect(gpu().subgroups).not.toBeNull(); });
});
