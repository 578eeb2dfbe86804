/** The splitters between ranges. */
import { expect, it } from 'vitest';
import type { Cuttable, Splitter } from '../../src/cluster/cuttable.js';
import { chooseSplitters } from '../../src/cluster/splitters.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { type Dice, dice } from '../differential/dice.js';
import { byNumber } from '../support/keyed.js';
import { sortedRecords } from '../support/records.js';
import { sampled } from '../support/tier.js';
import { keyed, STABLE, storedShares } from './stored-shares.js';

/** The bytes of all ranges between splitters. */
async function rangeBytes(
  shares: readonly Cuttable[],
  splitters: readonly Splitter[],
  whole: boolean,
): Promise<number[]> {
  const ends: number[] = [];
  for (const splitter of splitters) {
    let sum = 0;
    for (const share of shares) sum += (await share.cut(splitter, whole)).byte;
    ends.push(sum);
  }
  const total = shares.reduce((sum, { end }) => sum + end.byte, 0);
  return [...ends, total].map((end, i) => end - (ends[i - 1] ?? 0));
}

/** `shares` runs of `records` records each. */
const runsOf = (ordering: Ordering, shares: number, records: number, key: () => string): Uint8Array[][] =>
  Array.from({ length: shares }, () =>
    sortedRecords(
      Array.from({ length: records }, () => keyed(ordering, key(), 'text of the line')),
      ordering,
    ),
  );

/** Kinds of keys, and how many times the mean the largest range may have. */
const KEYS: readonly { readonly kind: string; readonly key: (d: Dice) => string; readonly most?: number }[] = [
  { kind: 'random', key: (d) => String(d.below(1e9)) },
  { kind: 'skewed', key: (d) => String(Math.floor(1e6 * Math.exp(-12 * (d.below(1e6) / 1e6)))) },
  { kind: 'half of them equal', key: (d) => (d.chance(0.5) ? 'k' : String(d.below(1e9))) },
  { kind: 'all equal', key: () => 'k' },
  { kind: 'alike at the beginning', key: (d) => 'https://example.org/'.repeat(5) + d.below(1e9), most: 1.6 },
];

// `npm test` draws the equal keys.
it.each(sampled(KEYS, { count: KEYS.length, seed: 4 }))(
  'divide 50 shares into 50 ranges evenly: keys $kind',
  async ({ key, most = 1.35 }) => {
    const d = dice(1);
    const { shares } = await storedShares(
      runsOf(STABLE, 50, 600, () => key(d)),
      STABLE,
    );
    const splitters = await chooseSplitters(shares, STABLE, 50, false);
    const bytes = await rangeBytes(shares, splitters, false);
    expect(Math.min(...bytes)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...bytes) / (bytes.reduce((sum, more) => sum + more, 0) / 50)).toBeLessThan(most);
  },
);

it('separate no equal keys if only one of them is kept', async () => {
  const d = dice(2);
  const ordering = byNumber({ lastResort: false, unique: true });
  const { shares } = await storedShares(
    runsOf(ordering, 20, 300, () => String(d.below(40))),
    ordering,
  );
  const splitters = await chooseSplitters(shares, ordering, 20, true);
  for (const [i, { record }] of splitters.slice(1).entries())
    expect(compareRecords(ordering, splitters[i].record, record)).toBeLessThan(0);
});
