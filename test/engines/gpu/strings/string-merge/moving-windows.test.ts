/** The string merge sort by moving windows: windows of a few entries, and fewer workgroups than shares. */
import { it } from 'vitest';
import type { OrderTuning } from '../../../../../src/engines/gpu/strings/string-merge/order.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { random } from '../../../../support/random.js';
import { LINES } from '../../../../support/records.js';
import { sampled } from '../../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { checkStringSort } from '../string-sorts.js';
import { DISTRIBUTIONS, linesOf, referenceOrder } from '../strings.js';
import { mergesBy, SMALL } from './sorts.js';

/** Windows of 32 and 64 entries. */
const FEW_GROUPS: OrderTuning = { ...SMALL, windows: { groups: 3 } };

describeGpu('string merge sort by moving windows', () => {
  const gpu = useGpu();
  const check = (
    tuning: OrderTuning,
    records: readonly Uint8Array[],
    slices: readonly number[] | null = null,
  ): Promise<void> => checkStringSort(gpu(), mergesBy(tuning, slices), records, LINES);

  it.each(sampled(Object.keys(DISTRIBUTIONS), { count: 6, seed: 12 }))(
    'sorts %s in pairs, then in parts of pairs',
    async (name) => {
      const records = linesOf(name, 4100, 41);
      // 33 pairs, then 17, for 20 workgroups; ties to their ends, of short prefixes.
      await check({ ...FEW_GROUPS, windows: { groups: 20 }, prefixBytes: 4, tieBytes: [256] }, records);
    },
  );

  it('merges slices of any lengths, equal records in the order of the slices', async () => {
    const next = random(3);
    for (const [i, name] of ['random strings', 'Zipf words', 'URLs'].entries()) {
      const slices = [0];
      const records: Uint8Array[] = [];
      for (const count of [0, 700, 1, 0, 3, 2000, 64, 0, 65, Math.floor(next() * 500)]) {
        const slice = linesOf(name, count, records.length + i);
        records.push(...[...referenceOrder(slice, LINES)].map((r) => slice[r]));
        slices.push(records.length);
      }
      await check(FEW_GROUPS, records, slices);
    }
  });
});
