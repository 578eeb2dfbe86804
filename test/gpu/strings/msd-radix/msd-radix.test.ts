/**
 * MSD radix string sort against the host's sort; alphabets of every size; packed prefixes, whose remainder the host
 * sorts.
 */
import { afterAll, expect, it } from 'vitest';
import { DevicePool, Scratch } from '../../../../src/gpu/device/pool.js';
import { takeEntries } from '../../../../src/gpu/strings/entries.js';
import { countersBytes, SPLIT_TUNING, splitKernels } from '../../../../src/gpu/strings/msd-radix/entries.js';
import { startHostThreads } from '../../../../src/gpu/strings/msd-radix/host-threads.js';
import { type MsdTuning, msdRadix } from '../../../../src/gpu/strings/msd-radix/msd-radix.js';
import { loadPackedPrefixes, sortByPrefixes } from '../../../../src/gpu/strings/msd-radix/packed-prefixes.js';
import { loadSymbols, packRecords } from '../../../../src/gpu/strings/msd-radix/symbols.js';
import type { OrderStage } from '../../../../src/gpu/strings/order-stage.js';
import type { Ordering } from '../../../../src/job.js';
import { describeGpu } from '../../../setup/gpu.js';
import { random, randomBelow } from '../../../support/random.js';
import { join, LINES, positionsOf } from '../../../support/records.js';
import { NIGHTLY } from '../../../support/tier.js';
import { destroyRecords, randomRecords, readWords, uploadRecords, useGpu } from '../../helpers.js';
import { checkStringSort, KEYED, REVERSE, type StringSort, testStringSort, UNIQUE } from '../string-sorts.js';
import { DISTRIBUTIONS, referenceOrder } from '../strings.js';

/** Tiles so small that few records make buckets of all sizes. */
const SMALL: Partial<MsdTuning> = { tile: 64, middleTiles: 2, digitBits: 4, mergeTile: 64, splitTies: 100 };

function sortWith(tuning: Partial<MsdTuning>): StringSort {
  return sortBy(msdRadix(tuning));
}

function sortBy(stage: OrderStage): StringSort {
  return async (gpu, pool, records, ordering, commonPrefix) => {
    await stage.load(gpu, ordering);
    return stage.order(gpu, pool, records, ordering, { slices: null, commonPrefix });
  };
}

const ORDERINGS: readonly Ordering[] = [LINES, REVERSE, UNIQUE];
/** All orderings at night; by day one: a software GPU compiles kernels for each. */
const turn = (i: number): readonly Ordering[] => (NIGHTLY ? ORDERINGS : [ORDERINGS[i % ORDERINGS.length]]);
const letters = (n: number, length: number, alphabet: string, seed: number): Buffer[] => {
  const next = randomBelow(seed);
  return Array.from({ length: n }, () =>
    Buffer.from(Array.from({ length }, () => alphabet[next(alphabet.length)]).join('')),
  );
};

describeGpu('MSD radix string sort', () => {
  const gpu = useGpu();
  testStringSort(gpu, sortWith({}), sortWith(SMALL), 2);

  it.each([
    ['ACGT, one length', 'ACGT'],
    ['ACGNT', 'ACGNT'],
    ['two letters', 'ab'],
    ['one letter', 'a'],
  ])('packs %s', async (_, alphabet) => {
    for (const ordering of ORDERINGS)
      await checkStringSort(gpu(), sortWith(SMALL), letters(1500, 40, alphabet, 3), ordering);
    await checkStringSort(gpu(), sortWith({}), letters(9000, 70, alphabet, 5));
  });
  it.each([1, 4, 26, 130, 256])('sorts lengths 0 to 24 of %i bytes', async (alphabet) => {
    const next = randomBelow(alphabet);
    const records = randomRecords(2500, () => next(25), next, alphabet);
    // By day short alphabets are sorted by LINES and the long ones in reverse and without equal ones.
    for (const ordering of turn(alphabet < 5 ? 0 : alphabet))
      await checkStringSort(gpu(), sortWith({ ...SMALL, digitBits: 8 }), records, ordering);
  });
  it('takes a wide first digit if the text has a short alphabet', async () => {
    const tuning = { ...SMALL, ...SPLIT_TUNING, tile: 64, digitBits: 4, middleTiles: 2 };
    const split = splitKernels(gpu(), tuning);
    const ends = letters(1500, 40, 'ACGTN', 2).map((record, i) => record.subarray(0, 20 + (i % 20)));
    for (const [records, digitBits] of [
      [letters(1500, 40, 'ACGT', 1), 12],
      [ends, 12],
      [letters(1500, 40, 'ACGTNRYK', 3).map((record, i) => record.subarray(0, 20 + (i % 20))), 4],
      // Too few records.
      [letters(1000, 40, 'ACGT', 1), 4],
    ] as const) {
      for (const ordering of turn(digitBits >> 3)) await checkStringSort(gpu(), sortWith(tuning), records, ordering);
      const pool = new DevicePool(gpu());
      const scratch = new Scratch(pool);
      const uploaded = uploadRecords(gpu(), records, LINES);
      await loadSymbols(gpu(), LINES, split);
      const entries = await takeEntries(scratch, records.length);
      const counters = await scratch.take(countersBytes(split, records.length), 'bucket counters');
      const packing = await packRecords(gpu(), scratch, LINES, split, uploaded, 0, entries, counters);
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
    for (const digitBits of NIGHTLY ? [4, 5, 6, 7, 8, 9, 10] : [5, 10]) {
      for (const middleTiles of NIGHTLY ? [1, 4] : [digitBits === 5 ? 1 : 4])
        await checkStringSort(
          gpu(),
          sortWith({ ...SMALL, digitBits, middleTiles }),
          DISTRIBUTIONS['Zipf words'](4000, random(digitBits)),
        );
    }
    await checkStringSort(gpu(), sortWith({ tile: 256, middleTiles: 1 }), DISTRIBUTIONS['16 values'](20000, random(1)));
  });
  it('sorts many records with the default tile', async () => {
    await checkStringSort(gpu(), sortWith({}), letters(70001, 12, 'ACGT', 9));
    await checkStringSort(
      gpu(),
      sortWith({ middleTiles: 1 }),
      Array.from({ length: 20000 }, () => Buffer.from('the same in all records, and longer than a key')),
    );
  });
  it('merges slices that are in order', async () => {
    const stage = msdRadix();
    const records = DISTRIBUTIONS['random strings'](2000, random(8));
    const half = (part: Uint8Array[]): Uint8Array[] => [...referenceOrder(part, LINES)].map((i) => part[i]);
    const sorted = [...half(records.slice(0, 900)), ...half(records.slice(900))];
    await checkStringSort(
      gpu(),
      async (device, pool, uploaded, ordering, commonPrefix) => {
        await stage.load(device, ordering);
        return stage.order(device, pool, uploaded, ordering, { slices: [0, 900, 2000], commonPrefix });
      },
      sorted,
    );
  });
});

describeGpu('sort of packed prefixes', () => {
  const gpu = useGpu();
  const tuning = { ...SPLIT_TUNING, tile: 64, middleTiles: 2 };
  const threads = startHostThreads(2);
  afterAll(() => threads.close());

  async function check(
    records: readonly Uint8Array[],
    ordering: Ordering,
  ): Promise<{ sentBytes: number; remainder: number }> {
    await loadPackedPrefixes(gpu(), tuning);
    const pool = new DevicePool(gpu());
    const given = join(records, ordering);
    const text = new Uint8Array(new SharedArrayBuffer(given.length));
    text.set(given);
    const starts = new Uint32Array(new SharedArrayBuffer(4 * (records.length + 1)));
    starts.set(positionsOf(records, ordering).map(({ byte }) => byte));
    const before = { ...gpu().traffic };
    const order = new Uint32Array(new SharedArrayBuffer(4 * records.length));
    const sorted = await sortByPrefixes(gpu(), pool, threads, { text, starts }, ordering, order, tuning);
    pool.destroyIdle();
    expect(gpu().traffic.sentBytes - before.sentBytes).toBe(sorted.sentBytes);
    expect([...order.subarray(0, sorted.count)]).toEqual([...referenceOrder(records, ordering)]);
    return sorted;
  }

  it('sends 12 bytes a record, and sorts the remainder on the host', async () => {
    const { sentBytes, remainder } = await check(letters(3000, 100, 'ACGT', 2), LINES);
    expect([sentBytes, remainder]).toEqual([36000, 0]);
    expect((await check(DISTRIBUTIONS.URLs(900, random(2)), LINES)).remainder).toBeGreaterThan(400);
    await check([], LINES);
    for (const name of ['NULs', 'Zipf words', 'all equal, short', 'two letters, 0 to 600'])
      for (const ordering of ORDERINGS) await check(DISTRIBUTIONS[name](700, random(6)), ordering);
    // What all share is skipped, so the packed symbols settle the rest.
    const shared = letters(500, 5, 'abcdefgh', 4).map((record) => Buffer.concat([Buffer.alloc(90, 'x'), record]));
    expect((await check(shared, LINES)).remainder).toBe(0);
    // A wide first digit: the host knows the alphabet.
    await check(letters(17_000, 50, 'ACGT', 8), LINES);
    await check(
      Array.from({ length: 300 }, (_, i) => Buffer.from(String((i * 7919) % 300).padStart(23, '0'))),
      KEYED,
    );
  });
});
