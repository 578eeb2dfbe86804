/**
 * orderRecords against a plain sort, with prefixes of 8 and 4 bytes: string merge sort, bounded ties, refinement,
 * merges of slices.
 */
import { it } from 'vitest';
import { loadOrder, type OrderTuning, orderRecords, TUNING } from '../../../../src/gpu/strings/string-merge/order.js';
import type { Ordering } from '../../../../src/job.js';
import { describeGpu } from '../../../setup/gpu.js';
import { random } from '../../../support/random.js';
import { LINES } from '../../../support/records.js';
import { NIGHTLY } from '../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { checkStringSort, KEYED, REVERSE, type StringSort, testStringSort, UNIQUE } from '../string-sorts.js';
import { DISTRIBUTIONS, referenceOrder } from '../strings.js';

/** Tiles so small that few records make many merges. */
const SMALL: OrderTuning = { ...TUNING, tile: 64 };
/** Merges compare so few bytes that refinement does most of the work. With 4-byte prefixes they still read the text. */
const SHORT: OrderTuning = { ...SMALL, tieBytes: [8, 8, 16] };
/** The first sort compares only keys. */
const KEYS_ONLY: OrderTuning = { ...SMALL, tieBytes: [0, 0, 256] };

const useTestGpu = useGpu();

const sortBy =
  (tuning: OrderTuning, slices: readonly number[] | null = null): StringSort =>
  async (gpu, pool, records, ordering, commonPrefix) => {
    await loadOrder(gpu, ordering, tuning);
    return orderRecords(gpu, pool, records, ordering, { slices, commonPrefix, tuning });
  };
const check = (
  tuning: OrderTuning,
  records: readonly Uint8Array[],
  ordering: Ordering = LINES,
  slices: readonly number[] | null = null,
): Promise<void> => checkStringSort(useTestGpu(), sortBy(tuning, slices), records, ordering);

const make = (name: string, n: number): Uint8Array[] => DISTRIBUTIONS[name](n, random(n + 1));
const filled = (length: number, byte = 120): Uint8Array => new Uint8Array(length).fill(byte);

describeGpu('orderRecords by prefixes of 8 bytes', () => {
  testStringSort(useTestGpu, sortBy(TUNING), sortBy(SHORT), 0);
});
describeGpu('orderRecords by prefixes of 4 bytes', () => {
  testStringSort(useTestGpu, sortBy({ ...TUNING, prefixBytes: 4 }), sortBy({ ...SHORT, prefixBytes: 4 }), 1);
});

describeGpu('orderRecords', () => {
  it('sorts sizes near the tile', async () => {
    for (const n of [1024, 2047, 2048]) await check(TUNING, make('random strings', n));
  });

  it.each(['gaussian', '16 values', 'Zipf words', 'URLs', 'NULs', 'two letters, 0 to 600'])(
    'sorts %s in many merges',
    async (name) => {
      // Seven merge passes: the default rule leaves ties to refinement.
      await check({ ...SMALL, prefixBytes: name.length % 2 === 0 ? 8 : 4 }, make(name, 8200));
      await check({ ...KEYS_ONLY, prefixBytes: 4 }, make(name, 777), name.length % 2 === 0 ? UNIQUE : REVERSE);
    },
  );

  it.each([4, 8] as const)(
    'sorts lengths near the bound of comparisons, by prefixes of %i bytes',
    async (prefixBytes) => {
      const records: Uint8Array[] = [];
      for (let length = 0; length < 20; length++) records.push(filled(length), filled(length, 0), filled(length));
      for (let length = 250; length < 275; length++) records.push(filled(length, 0), filled(length), filled(length));
      for (const ordering of [LINES, REVERSE, UNIQUE])
        await check({ ...SMALL, prefixBytes }, records.reverse(), ordering);
    },
  );

  it.each([4, 8] as const)(
    'sorts fixed records by a key at an offset, with little text looked at, by prefixes of %i bytes',
    async (prefixBytes) => {
      const next = random(3);
      const records = Array.from({ length: 1300 }, () =>
        Uint8Array.from({ length: 23 }, (_, i) => Math.floor(next() * (i > 12 || i < 5 ? 2 : 1.2))),
      );
      await check({ ...SHORT, prefixBytes }, records, KEYED);
    },
  );

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
      const next = random(tieBytes[0] + prefixBytes);
      const below = (n: number): number => Math.floor(next() * n);
      // Shared prefixes of up to 30 bytes, then few different bytes, zeros among them; many records end early.
      const records = Array.from({ length: 900 }, () => {
        const shared = 3 * below(2) + 9 * below(4);
        return Uint8Array.from({ length: shared + below(12) }, (_, i) => (i < shared ? 97 + (i % 7) : below(3) * 50));
      });
      const tuning: OrderTuning = { ...SMALL, prefixBytes, tieBytes };
      for (const ordering of [LINES, REVERSE, UNIQUE, { ...LINES, lastResort: false, reverse: true }])
        await check(tuning, records, ordering);
      const fixed = Array.from({ length: 600 }, () =>
        Uint8Array.from({ length: 23 }, (_, i) => (i < 12 ? 7 : Math.floor(next() * 2))),
      );
      await check(tuning, fixed, KEYED);
      await check(tuning, fixed, { ...KEYED, reverse: true });
    },
  );

  it('merges slices of very unequal lengths, equal records in the order of the slices', async () => {
    const many = make('Zipf words', NIGHTLY ? 1 << 17 : 1 << 15);
    const sorted = [...referenceOrder(many, LINES)].map((i) => many[i]);
    // First, last, in between, and equal to the most frequent word.
    const single = [filled(0), filled(30, 255), Buffer.from('mmm'), sorted[sorted.length >> 1]];
    for (const one of single) {
      await check(TUNING, [one, ...sorted], LINES, [0, 1, sorted.length + 1]);
      await check(TUNING, [...sorted, one], LINES, [0, sorted.length, sorted.length + 1]);
    }
    // Single records around a long slice: all lengths in one pass.
    const bounds = [0, 1, 2, sorted.length + 2, sorted.length + 3, sorted.length + 3, sorted.length + 4];
    await check(TUNING, [single[3], single[1], ...sorted, single[0], single[3]], LINES, bounds);
  });

  for (const k of [1, 2, 3, 7, 64]) {
    it(`merges ${k} slices`, async () => {
      const next = random(k);
      for (const name of ['random strings', 'Zipf words', 'URLs', 'two letters, 0 to 600']) {
        for (const ordering of [LINES, UNIQUE, REVERSE]) {
          const slices = [0];
          const records: Uint8Array[] = [];
          for (let s = 0; s < k; s++) {
            const slice = make(name, next() < 0.2 ? 0 : Math.floor((next() * next() * 6000) / k));
            records.push(...[...referenceOrder(slice, ordering)].map((i) => slice[i]));
            slices.push(records.length);
          }
          const tuning = k === 3 && ordering === LINES ? TUNING : SMALL;
          await check({ ...tuning, prefixBytes: k % 2 === 0 && name !== 'URLs' ? 4 : 8 }, records, ordering, slices);
        }
      }
    });
  }
});
