/**
 * The MSD radix sort of strings: alphabets of every size, digits of every width, merges of slices. Slow, because a
 * software GPU compiles its kernels for each width.
 */
import { expect, it } from 'vitest';
import { DevicePool, Scratch } from '../../../../../src/engines/gpu/device/pool.js';
import { takeEntries } from '../../../../../src/engines/gpu/strings/entries.js';
import { countersBytes, SPLIT_TUNING, splitKernels } from '../../../../../src/engines/gpu/strings/msd-radix/entries.js';
import { loadSymbols, packRecords } from '../../../../../src/engines/gpu/strings/msd-radix/symbols.js';
import type { Ordering } from '../../../../../src/job/ordering.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { randomBelow } from '../../../../support/random.js';
import { LINES } from '../../../../support/records.js';
import { NIGHTLY } from '../../../../support/tier.js';
import { destroyRecords, randomRecords, readWords, uploadRecords, useGpu } from '../../helpers.js';
import { checkStringSort, REVERSE, UNIQUE } from '../string-sorts.js';
import { linesOf, referenceOrder } from '../strings.js';
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
    const split = splitKernels(gpu(), tuning);
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
      const pool = new DevicePool(gpu());
      const scratch = new Scratch(pool);
      const uploaded = uploadRecords(gpu(), records, LINES);
      await loadSymbols(gpu(), LINES, split);
      const entries = await takeEntries(scratch, records.length);
      const counters = await scratch.take(countersBytes(split, records.length), 'bucket counters');
      const packing = await packRecords(
        scratch,
        LINES,
        split,
        { records: uploaded, commonPrefix: 0 },
        { entries, counters },
      );
      expect((await readWords(gpu(), packing, 4))[3]).toBe(digitBits);
      // All entries are counted, by digits of this width.
      const counts = (await readWords(gpu(), counters)).subarray(0, 2 ** digitBits);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(records.length);
      scratch.end();
      pool.destroyIdle();
      destroyRecords(uploaded);
    }
  });

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

  it('merges slices that are in order', async () => {
    const records = linesOf('random strings', 2000, 8);
    const parts = [records.slice(0, 900), records.slice(900)];
    const sorted = parts.flatMap((part) => [...referenceOrder(part, LINES)].map((i) => part[i]));
    await checkStringSort(gpu(), msdBy({}, [0, 900, 2000]), sorted);
  });
});
