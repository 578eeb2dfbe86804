/** The tie statistics of string sorts: counts known by hand, and counts made on the host. */
import { expect, it } from 'vitest';
import {
  loadOrder,
  loadOrderStatistics,
  type OrderTuning,
  orderRecords,
} from '../../../../../src/engines/gpu/strings/string-merge/order.js';
import { DEEP_TIE_BYTES, SHALLOW_TIE_BYTES } from '../../../../../src/engines/gpu/thresholds.js';
import type { Ordering } from '../../../../../src/job/ordering.js';
import { orderedBytes } from '../../../../../src/keys/compare.js';
import type { TieStatistics } from '../../../../../src/report/ties.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { random } from '../../../../support/random.js';
import { LINES } from '../../../../support/records.js';
import { sampled } from '../../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { checkStringSort, REVERSE, UNIQUE } from '../string-sorts.js';
import { DISTRIBUTIONS, linesOf, referenceOrder } from '../strings.js';
import { SMALL } from './sorts.js';

/** Longer shared prefixes are counted as this many bytes. */
const MOST_SHARED = 128;

const useTestGpu = useGpu();

/** Sorts with statistics, expects the right order, and returns the statistics. */
async function tiesOf(
  records: readonly Uint8Array[],
  ordering: Ordering = LINES,
  tuning: OrderTuning = SMALL,
  slices: readonly number[] | null = null,
  commonPrefix = 0,
): Promise<TieStatistics> {
  const reported: TieStatistics[] = [];
  await checkStringSort(
    useTestGpu(),
    async (gpu, pool, uploaded) => {
      await Promise.all([loadOrder(gpu, ordering, tuning), loadOrderStatistics(gpu, ordering, tuning)]);
      return orderRecords(gpu, pool, uploaded, ordering, {
        slices,
        commonPrefix,
        tuning,
        statistics: (ties) => {
          reported.push(ties);
        },
      });
    },
    records,
    ordering,
    commonPrefix,
  );
  expect(reported.length).toBe(1);
  return reported[0];
}

/** The same statistics, computed on the host, without comparisons and rounds. */
function hostTies(records: readonly Uint8Array[], ordering: Ordering, keyBytes: number): Partial<TieStatistics> {
  const sorted = [...referenceOrder(records, { ...ordering, unique: false })].map((i) =>
    Buffer.from(orderedBytes(ordering, records[i], Infinity)),
  );
  const key = (bytes: Buffer): string =>
    `${bytes.subarray(0, keyBytes).toString('hex')} ${Math.min(bytes.length, keyBytes + 1)}`;
  const sharedBytes = Array<number>(MOST_SHARED + 1).fill(0);
  for (let i = 1; i < sorted.length; i++) {
    const [a, b] = [sorted[i - 1], sorted[i]];
    let at = 0;
    while (at < Math.min(a.length, b.length, MOST_SHARED) && a[at] === b[at]) at++;
    sharedBytes[at]++;
  }
  const runs: number[] = [];
  let [tied, longestRun] = [0, 0];
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (to < sorted.length && key(sorted[to]) === key(sorted[from])) to++;
    const bin = 31 - Math.clz32(to - from);
    while (runs.length <= bin) runs.push(0);
    runs[bin]++;
    longestRun = Math.max(longestRun, to - from);
    if (to - from > 1 && sorted[from].length > keyBytes) tied += to - from;
  }
  return { records: records.length, keyBytes, tied, runs, longestRun, sharedBytes };
}

const text = (s: string): Uint8Array => Buffer.from(s, 'latin1');
/** Records with distinct 4-byte prefixes, in order, numbered from `from`. */
const distinct = (count: number, from: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => text(`n${String(from + i).padStart(3, '0')}, and more`));

describeGpu('statistics of ties', () => {
  it('counts the one comparison of a pair in a tile, in each of four tiles', async () => {
    const pairs = [100, 300, 500, 700].flatMap((from) => [
      text(`a${from} 0 0 same, then y`),
      text(`a${from} 0 0 same, then x`),
      ...distinct(62, from),
    ]);
    expect(await tiesOf(pairs)).toMatchObject({
      blockReads: 4,
      mergeReads: [0, 0],
      tied: 8,
      runs: [248, 4],
      longestRun: 2,
      rounds: 0,
    });
    expect(await tiesOf(pairs, LINES, { ...SMALL, prefixBytes: 4 })).toMatchObject({
      keyBytes: 4,
      blockReads: 4,
      mergeReads: [0, 0],
      tied: 8,
      rounds: 0,
    });
  });

  it('counts a comparison in the merge pass in which two tiles meet', async () => {
    // The tied records come first in their tiles, so only the thread that makes the first output of their merge
    // compares them.
    const pair = (from: number): Uint8Array[] => [text('a pair that ties, y'), ...distinct(63, from)];
    expect(await tiesOf([...pair(100), ...pair(200)])).toMatchObject({ blockReads: 0, mergeReads: [1] });
    expect(await tiesOf([...pair(100), ...distinct(64, 200), ...pair(300), ...distinct(64, 400)])).toMatchObject({
      blockReads: 0,
      mergeReads: [0, 1],
    });
    // Slices are only merged: there is no block sort.
    expect(await tiesOf([...pair(100), ...pair(200)], LINES, SMALL, [0, 64, 128])).toMatchObject({
      blockReads: null,
      mergeReads: [1],
    });
  });

  it('reads less text in merges whose windows share more than a key', async () => {
    // A log: sorted neighbors share their time, and the key holds only what all lines share.
    const next = random(8);
    const digits = (n: number, width: number): string => String(Math.floor(next() * n)).padStart(width, '0');
    const lines = Array.from({ length: 4000 }, () =>
      Buffer.from(`2026-11-22 ${digits(24, 2)}:${digits(60, 2)}:${digits(60, 2)} event ${digits(1e6, 6)}`),
    );
    const inSlices = [0, 1000, 2000, 3000].flatMap((from) => {
      const slice = lines.slice(from, from + 1000);
      return [...referenceOrder(slice, LINES)].map((i) => slice[i]);
    });
    for (const [records, slices] of [
      [lines, null],
      [inSlices, [0, 1000, 2000, 3000, 4000]],
    ] as const) {
      const { mergeReads, tied } = await tiesOf(records, LINES, SMALL, slices);
      expect(tied).toBe(4000);
      // About 6,000 in each pass if keys stay as they are.
      expect(Math.max(...mergeReads)).toBeLessThan(1000);
    }
  });

  it('reports no comparisons, but the rounds, if all ties are left to refinement', async () => {
    const records = Array.from({ length: 300 }, (_, i) =>
      text(`the same eight bytes, and so on to the end: ${i % 10}`),
    );
    const left = await tiesOf(records, LINES, { ...SMALL, tieBytes: [0, 256] });
    expect(left).toMatchObject({ blockReads: 0, mergeReads: [0, 0, 0], tied: 300, longestRun: 300, rounds: 1 });
    const settled = await tiesOf(records);
    expect(settled.rounds).toBe(0);
    // Merges settle most ties by the keys of their windows.
    expect(settled.blockReads).toBeGreaterThan(100);
    expect(Math.max(...settled.mergeReads)).toBeGreaterThan(0);
  });

  it('leaves nothing to refinement after many merges if they settle ties, but text beyond the bound', async () => {
    // Eight merge passes; prefixes of four bytes, which all of the lines share.
    const asPaper: OrderTuning = { ...SMALL, prefixBytes: 4, tieBytes: DEEP_TIE_BYTES };
    const lines = linesOf('URLs', 8200, 8201);
    for (const windows of [null, { groups: 20 }]) {
      const settled = await tiesOf(lines, LINES, { ...asPaper, windows });
      expect([settled.tied, settled.rounds, settled.mergeReads.length]).toEqual([8200, 0, 8]);
      expect(Math.min(...settled.mergeReads)).toBeGreaterThan(0);
    }
    expect((await tiesOf(lines, LINES, { ...asPaper, tieBytes: SHALLOW_TIE_BYTES })).rounds).toBeGreaterThan(0);
    const long = lines.slice(0, 700).map((line, i) => Buffer.concat([Buffer.alloc(260 + (i % 3), 97), line]));
    expect((await tiesOf(long, LINES, asPaper)).rounds).toBe(1);
  });

  it('reports a single record, and records without ties', async () => {
    expect(await tiesOf([text('alone')])).toMatchObject({
      records: 1,
      tied: 0,
      blockReads: 0,
      mergeReads: [],
      runs: [1],
      longestRun: 1,
      rounds: 0,
    });
    expect(await tiesOf(distinct(500, 100))).toMatchObject({
      records: 500,
      blockReads: 0,
      mergeReads: [0, 0, 0],
      tied: 0,
      runs: [500],
    });
  });

  const CASES = Object.keys(DISTRIBUTIONS).map((name, i) => ({ name, ordering: [LINES, REVERSE, UNIQUE][i % 3], i }));
  it.each(sampled(CASES, { count: CASES.length, seed: 3 }))(
    'counts runs and shared bytes of $name as the host does',
    async ({ name, ordering, i }) => {
      const records = linesOf(name, 1500 + i, i);
      for (const prefixBytes of [4, 8] as const)
        expect(await tiesOf(records, ordering, { ...SMALL, prefixBytes })).toMatchObject(
          hostTies(records, ordering, prefixBytes),
        );
    },
  );

  it('counts the shared bytes of long equal records up to a limit', async () => {
    const long = Array.from({ length: 200 }, (_, i) => new Uint8Array(100 + (i % 50)).fill(120));
    expect(await tiesOf(long)).toMatchObject(hostTies(long, LINES, 8));
  });

  it('counts shared bytes from the start, and runs of keys after a prefix that all share', async () => {
    const records = Array.from({ length: 90 }, (_, i) => text(`shared by all: ${i % 9} and ${i % 7}`));
    expect(await tiesOf(records, LINES, SMALL, null, 15)).toMatchObject({
      ...hostTies(
        records.map((r) => r.subarray(15)),
        LINES,
        8,
      ),
      sharedBytes: hostTies(records, LINES, 8).sharedBytes,
    });
  });
});
