/**
 * The string merge sort by moving windows, with all records and orderings of string sorts, and ties at windows' ends.
 */
import { expect, it } from 'vitest';
import {
  loadOrder,
  loadOrderStatistics,
  ORDER_TUNING,
  type OrderTuning,
  orderRecords,
  WINDOWS,
} from '../../../../../src/engines/gpu/strings/string-merge/order.js';
import type { TieStatistics } from '../../../../../src/report/ties.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { random, randomBelow } from '../../../../support/random.js';
import { LINES } from '../../../../support/records.js';
import { useGpu } from '../../helpers.js';
import { checkStringSort, filled, REVERSE, testStringSort, UNIQUE } from '../string-sorts.js';
import { mergesBy, SHORT, SMALL } from './sorts.js';

describeGpu('string merge sort by moving windows', () => {
  const gpu = useGpu();
  testStringSort(
    gpu,
    'merges by moving windows',
    mergesBy({ ...ORDER_TUNING, windows: WINDOWS }),
    mergesBy({ ...SHORT, windows: { groups: 3 } }),
  );

  it.each([4, 8] as const)(
    'settles ties of the last entries of windows, and of entries that end inside the prefix of %i bytes',
    async (prefixBytes) => {
      const below = randomBelow(5);
      const records = [0, 1, 2, 3, 4, 5, 7, 8, 9].flatMap((length) => [
        ...Array.from({ length: 60 }, () => filled(length)),
        ...Array.from({ length: 40 }, () => Uint8Array.from([...filled(length), ...filled(60), 97 + below(3)])),
      ]);
      const tuning: OrderTuning = { ...SMALL, windows: { groups: 3 }, prefixBytes, tieBytes: [256] };
      for (const ordering of [LINES, REVERSE, UNIQUE])
        await checkStringSort(gpu(), mergesBy(tuning), records.reverse(), ordering);
    },
  );

  it('counts the comparisons of each pass that read the text', async () => {
    const next = random(8);
    const lines = Array.from({ length: 4000 }, () => Buffer.from(`the same prefix, ${Math.floor(next() * 1e6)}`));
    const reported: TieStatistics[] = [];
    const tuning: OrderTuning = { ...SMALL, windows: { groups: 3 }, tieBytes: [256] };
    await checkStringSort(
      gpu(),
      async (device, pool, records, ordering) => {
        await Promise.all([loadOrder(device, ordering, tuning), loadOrderStatistics(device, ordering, tuning)]);
        const statistics = (ties: TieStatistics): void => void reported.push(ties);
        return orderRecords(device, pool, records, ordering, { slices: null, commonPrefix: 0, tuning, statistics });
      },
      lines,
    );
    const [{ mergeReads, rounds, tied }] = reported;
    expect([tied, rounds, mergeReads.length]).toEqual([4000, 0, 6]);
    // Half of the entries are in A's windows. One in four takes a binary search, the others a few steps.

    for (const reads of mergeReads) {
      expect(reads).toBeGreaterThan(4000);
      expect(reads).toBeLessThan(3 * 4000);
    }
  });
});
