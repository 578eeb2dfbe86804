/** The string merge sort against the host's sort, with prefixes of 8 and 4 bytes, and merges of slices. */
import { expect, it } from 'vitest';
import { slicePasses } from '../../../../../src/engines/gpu/keys/merge-path/passes.js';
import type { KeyRule } from '../../../../../src/engines/gpu/strings/entries.js';
import { launchTiles } from '../../../../../src/engines/gpu/strings/string-merge/merges.js';
import { ORDER_TUNING } from '../../../../../src/engines/gpu/strings/string-merge/order.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { random } from '../../../../support/random.js';
import { LINES } from '../../../../support/records.js';
import { sampled } from '../../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { checkStringSort, REVERSE, testStringSort, UNIQUE } from '../string-sorts.js';
import { linesOf, referenceOrder } from '../strings.js';
import { mergesBy, SHORT, SMALL } from './sorts.js';

const SLICED = ['random strings', 'Zipf words', 'URLs', 'two letters, 0 to 600'];

describeGpu('orderRecords', () => {
  const gpu = useGpu();
  testStringSort(gpu, 'merges of 8-byte prefixes', mergesBy(ORDER_TUNING), mergesBy(SHORT));
  const four = { prefixBytes: 4 } as const;
  testStringSort(
    gpu,
    'merges of 4-byte prefixes',
    mergesBy({ ...ORDER_TUNING, ...four }),
    mergesBy({ ...SHORT, ...four }),
  );

  it.each(sampled([1, 2, 3, 7, 64], { count: 5, seed: 1, values: (k) => [k > 2, k > 7] }))(
    'merges %i slices',
    async (k) => {
      const next = random(k);
      // In the smallest sample, the ordering whose kernels the table above has compiled.
      for (const ordering of sampled([LINES, UNIQUE, REVERSE], { count: 3, seed: 1 }))
        for (const name of SLICED) {
          const slices = [0];
          const records: Uint8Array[] = [];
          for (let s = 0; s < k; s++) {
            const slice = linesOf(name, next() < 0.2 ? 0 : Math.floor((next() * next() * 6000) / k), k + s);
            records.push(...[...referenceOrder(slice, ordering)].map((i) => slice[i]));
            slices.push(records.length);
          }
          const tuning = k === 3 && ordering === LINES ? ORDER_TUNING : SMALL;
          const sort = mergesBy({ ...tuning, prefixBytes: k % 2 === 0 && name !== 'URLs' ? 4 : 8 }, slices);
          await checkStringSort(gpu(), sort, records, ordering, 0, name);
        }
    },
  );
});

it('dispatches fewer tiles if their comparisons may read much text', () => {
  const rule = (count: number, textBytes: number, tieBytes: number): KeyRule => ({
    records: { text: null!, textBytes, starts: null, count },
    depth: 0,
    keyBytes: 4,
    tieBytes,
    depths: null,
  });
  // No text is read: the most tiles.
  expect(launchTiles(1024, rule(1e6, 1e9, 4), 2)).toBe(16384);
  // Lines of 100 bytes are read to their ends, longer ones to 256 bytes, by both sides of two comparisons: 1 GiB.
  expect(launchTiles(1024, rule(1e7, 1e9, 256), 2)).toBe(2621);
  for (const bytes of [1e3, 2e7]) expect(launchTiles(1024, rule(100, 100 * bytes, 256), 2)).toBe(1024);
  expect(launchTiles(1024, rule(100, 2e9, 2 ** 24), 2)).toBe(1);
});

it('plans merges of neighboring slices', () => {
  const pairs = { share: 64, ways: 2 } as const;
  expect(slicePasses([0], pairs)).toEqual([]);
  expect(slicePasses([0, 10], pairs)).toEqual([]);
  expect(slicePasses([0, 0, 10, 10], pairs)).toEqual([]);
  expect(slicePasses([0, 100, 130, 400], pairs)).toEqual([
    {
      ways: 2,
      groups: [
        [0, 0, 100, 130],
        [3, 130, 400, 400],
      ],
      share: 64,
      shares: 8,
      width: 0,
    },
    { ways: 2, groups: [[0, 0, 130, 400]], share: 64, shares: 7, width: 0 },
  ]);
});
