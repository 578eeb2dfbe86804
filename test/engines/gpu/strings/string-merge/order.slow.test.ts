/** Special cases of the string merge sort: many merges, keys of windows, ties at bounds, slices of unequal lengths. */
import { it } from 'vitest';
import { ORDER_TUNING, type OrderTuning } from '../../../../../src/engines/gpu/strings/string-merge/order.js';
import type { Ordering } from '../../../../../src/job/ordering.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { randomBelow } from '../../../../support/random.js';
import { LINES } from '../../../../support/records.js';
import { NIGHTLY } from '../../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { checkStringSort, filled, KEYED, REVERSE, UNIQUE } from '../string-sorts.js';
import { linesOf, referenceOrder } from '../strings.js';
import { mergesBy, SMALL } from './sorts.js';

/** The first sort compares only keys. */
const KEYS_ONLY: OrderTuning = { ...SMALL, tieBytes: [0, 0, 256] };
const PREFIXES = [4, 8] as const;

const useTestGpu = useGpu();
const check = (
  tuning: OrderTuning,
  records: readonly Uint8Array[],
  ordering: Ordering = LINES,
  slices: readonly number[] | null = null,
): Promise<void> => checkStringSort(useTestGpu(), mergesBy(tuning, slices), records, ordering);

describeGpu('orderRecords', () => {
  it('sorts sizes near the tile', async () => {
    for (const n of [1024, 2047, 2048]) await check(ORDER_TUNING, linesOf('random strings', n, n + 1));
  });

  it.each(['gaussian', '16 values', 'Zipf words', 'URLs', 'NULs', 'two letters, 0 to 600'])(
    'sorts %s in many merges',
    async (name) => {
      const prefixBytes = name.length % 2 === 0 ? 8 : 4;
      // Seven merge passes: the default rule leaves ties to refinement.
      await check({ ...SMALL, prefixBytes }, linesOf(name, 8200, 8201));
      await check({ ...KEYS_ONLY, prefixBytes: 4 }, linesOf(name, 777, 778), prefixBytes === 8 ? UNIQUE : REVERSE);
    },
  );

  it.each(PREFIXES)('sorts lengths near the bound of comparisons, by prefixes of %i bytes', async (prefixBytes) => {
    const records: Uint8Array[] = [];
    for (let length = 0; length < 20; length++) records.push(filled(length), filled(length, 0), filled(length));
    for (let length = 250; length < 275; length++) records.push(filled(length, 0), filled(length), filled(length));
    for (const ordering of [LINES, REVERSE, UNIQUE])
      await check({ ...SMALL, prefixBytes }, records.reverse(), ordering);
  });

  it.each([
    [8, [9]],
    [8, [12, 16]],
    [8, [16, 17, 24]],
    [4, [17]],
    [4, [9, 8, 16]],
    [8, [256]],
  ] as const)(
    'shifts the keys of windows, by prefixes of %i bytes, ties to %j bytes',
    async (prefixBytes, tieBytes) => {
      const below = randomBelow(tieBytes[0] + prefixBytes);
      // Shared prefixes of up to 30 bytes, then few different bytes, zeros among them; many records end early.
      const records = Array.from({ length: 900 }, () => {
        const shared = 3 * below(2) + 9 * below(4);
        return Uint8Array.from({ length: shared + below(12) }, (_, i) => (i < shared ? 97 + (i % 7) : below(3) * 50));
      });
      const tuning: OrderTuning = { ...SMALL, prefixBytes, tieBytes };
      for (const ordering of [LINES, REVERSE, UNIQUE, { ...LINES, lastResort: false, reverse: true }])
        await check(tuning, records, ordering);
      const fixed = Array.from({ length: 600 }, () =>
        Uint8Array.from({ length: 23 }, (_, i) => (i < 12 ? 7 : below(2))),
      );
      for (const reverse of [false, true]) await check(tuning, fixed, { ...KEYED, reverse });
    },
  );

  it('merges slices of very unequal lengths, equal records in the order of the slices', async () => {
    const many = linesOf('Zipf words', NIGHTLY ? 1 << 17 : 1 << 15, 1);
    const sorted = [...referenceOrder(many, LINES)].map((i) => many[i]);
    // First, last, in between, and equal to the most frequent word.
    const single = [filled(0), filled(30, 255), Buffer.from('mmm'), sorted[sorted.length >> 1]];
    for (const one of single) {
      await check(ORDER_TUNING, [one, ...sorted], LINES, [0, 1, sorted.length + 1]);
      await check(ORDER_TUNING, [...sorted, one], LINES, [0, sorted.length, sorted.length + 1]);
    }
    // Single records around a long slice: all lengths in one pass.
    const bounds = [0, 1, 2, sorted.length + 2, sorted.length + 3, sorted.length + 3, sorted.length + 4];
    await check(ORDER_TUNING, [single[3], single[1], ...sorted, single[0], single[3]], LINES, bounds);
  });
});
