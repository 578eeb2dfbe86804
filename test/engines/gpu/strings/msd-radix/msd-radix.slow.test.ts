/**
 * The MSD radix sort of strings: alphabets of every size, digits of every width, merges of slices. Slow, because a
 * software GPU compiles its kernels for each width.
 */
import { expect, it } from 'vitest';
import { DevicePool } from '../../../../../src/engines/gpu/device/pool.js';
import { SPLIT_TUNING } from '../../../../../src/engines/gpu/strings/msd-radix/entries.js';
import { msdRadix, type SplitSort } from '../../../../../src/engines/gpu/strings/msd-radix/msd-radix.js';
import type { Ordering } from '../../../../../src/job/ordering.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { randomBelow } from '../../../../support/random.js';
import { LINES } from '../../../../support/records.js';
import { NIGHTLY } from '../../../../support/tier.js';
import { destroyRecords, randomRecords, readWords, uploadRecords, useGpu } from '../../helpers.js';
import { refineBy } from '../radix-refine/sorts.js';
import { checkStringSort, REVERSE, UNIQUE } from '../string-sorts.js';
import { linesOf } from '../strings.js';
import { letters, msdBy, SMALL } from './sorts.js';

const ORDERINGS: readonly Ordering[] = [LINES, REVERSE, UNIQUE];
/** All orderings in the nightly run, else one. */
const turn = (i: number): readonly Ordering[] => (NIGHTLY ? ORDERINGS : [ORDERINGS[i % ORDERINGS.length]]);

describeGpu('the MSD radix sort of strings', () => {
  const gpu = useGpu();

  it.each([
    ['ACGT, one length', 'ACGT'],
    ['ACGNT', 'ACGNT'],
    ['two letters', 'ab'],
    ['one letter', 'a'],
  ])('packs %s', async (_, alphabet) => {
    for (const ordering of ORDERINGS)
      await checkStringSort(gpu(), msdBy(SMALL), letters(1500, 40, alphabet, 3), ordering);
    await checkStringSort(gpu(), msdBy(), letters(9000, 70, alphabet, 5));
  });

  it.each([1, 4, 26, 130, 256])('sorts lengths 0 to 24 of %i bytes', async (alphabet) => {
    const next = randomBelow(alphabet);
    const records = randomRecords(2500, () => next(25), next, alphabet);
    // Short alphabets are sorted by LINES, long ones in reverse and without equal ones.
    for (const ordering of turn(alphabet < 5 ? 0 : alphabet))
      await checkStringSort(gpu(), msdBy({ ...SMALL, digitBits: 8 }), records, ordering);
  });

  it('takes a wide first digit if the text has a short alphabet', async () => {
    const tuning = { ...SMALL, ...SPLIT_TUNING, tile: 64, digitBits: 4, wideDigitBits: 12, middleTiles: 2 };
    const ends = (alphabet: string, seed: number): Buffer[] =>
      letters(1500, 40, alphabet, seed).map((record, i) => record.subarray(0, 20 + (i % 20)));
    for (const [records, digitBits] of [
      [letters(1500, 40, 'ACGT', 1), 12],
      [ends('ACGTN', 2), 12],
      [ends('ACGTNRYK', 3), 4],
      // Too few records.
      [letters(1000, 40, 'ACGT', 1), 4],
    ] as const) {
      for (const ordering of turn(digitBits >> 3)) await checkStringSort(gpu(), msdBy(tuning), records, ordering);
      const seen = await firstDigits(msdRadix(tuning), records);
      expect(seen.width).toBe(digitBits);
      // All keys are counted, by digits of this width.
      expect(seen.counts.length).toBe(2 ** digitBits);
      expect(seen.counts.reduce((sum, count) => sum + count, 0)).toBe(records.length);
    }
  });

  /** The width of the first digit that the device chose, and the counts that packing left for the sort. */
  async function firstDigits(
    sort: SplitSort,
    records: readonly Uint8Array[],
  ): Promise<{ width: number; counts: Uint32Array }> {
    const pool = new DevicePool(gpu());
    const uploaded = uploadRecords(gpu(), records, LINES);
    let seen: { width: number; counts: Uint32Array } | undefined;
    const watched: SplitSort = {
      ...sort,
      openSplits: async (scratch, count) => {
        const splits = await sort.openSplits(scratch, count);
        return {
          ...splits,
          sort: async (from, spare, packing) => {
            const width = (await readWords(gpu(), packing, 4))[3];
            seen = { width, counts: (await readWords(gpu(), splits.counters.buffer)).slice(0, 2 ** width) };
            return splits.sort(from, spare, packing);
          },
        };
      },
    };
    const { order } = (await refineBy({ firstSort: watched })(gpu(), pool, uploaded, LINES, 0)) as { order: GPUBuffer };
    pool.give(order);
    pool.destroyIdle();
    destroyRecords(uploaded);
    return seen!;
  }

  it('splits buckets of all sizes, digits of all widths', async () => {
    for (const digitBits of NIGHTLY ? [4, 5, 6, 7, 8, 9, 10] : [5, 10])
      for (const middleTiles of NIGHTLY ? [1, 4] : [digitBits === 5 ? 1 : 4]) {
        const sort = msdBy({ ...SMALL, digitBits, middleTiles });
        await checkStringSort(gpu(), sort, linesOf('Zipf words', 4000, digitBits));
      }
    await checkStringSort(gpu(), msdBy({ tile: 256, middleTiles: 1 }), linesOf('16 values', 20000, 1));
  });

  it('sorts many records with the default tile', async () => {
    await checkStringSort(gpu(), msdBy(), letters(70001, 12, 'ACGT', 9));
    const equal = Array.from({ length: 20000 }, () => Buffer.from('the same in all records, and longer than a key'));
    await checkStringSort(gpu(), msdBy({ middleTiles: 1 }), equal);
  });
});
