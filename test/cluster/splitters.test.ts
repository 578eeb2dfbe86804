/** The splitters between ranges. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Cuttable } from '../../src/cluster/splitters.js';
import { chooseSplitters } from '../../src/cluster/splitters.js';
import type { Ordering } from '../../src/job/ordering.js';
import { compareRecords } from '../../src/keys/compare.js';
import type { Splitter } from '../../src/runs/splitters.js';
import { several } from '../support/draws.js';
import { byNumber } from '../support/keyed.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { keyedRun, STABLE, storedShares } from './stored-shares.js';

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

/** A run of the records of each list of keys. */
const runsOf = (ordering: Ordering, lists: readonly (readonly (string | number)[])[]): Uint8Array[][] =>
  lists.map((keys) =>
    keyedRun(
      ordering,
      keys.map((key) => [`${key}`, 'text of the line']),
    ),
  );

/** Kinds of keys, and how many times the mean the largest range may have. */
const KEYS: Readonly<{ kind: string; key: (below: RandomBelow) => string | number; most?: number }>[] = [
  { kind: 'random', key: (below) => below(1e9) },
  { kind: 'skewed', key: (below) => Math.floor(1e6 * Math.exp(-12 * (below(1e6) / 1e6))) },
  { kind: 'half of them equal', key: (below) => (below(2) === 0 ? 'k' : below(1e9)) },
  { kind: 'all equal', key: () => 'k' },
  { kind: 'alike at the beginning', key: (below) => 'https://example.org/'.repeat(5) + below(1e9), most: 1.6 },
];

// `npm test` draws the equal keys.
it.each(sampled(KEYS, { count: KEYS.length, seed: 4 }))(
  'divide 50 shares into 50 ranges evenly: keys $kind',
  async ({ key, most = 1.35 }) => {
    const below = randomBelow(1);
    const keys = Array.from({ length: 50 }, () => Array.from({ length: 600 }, () => key(below)));
    const { shares } = await storedShares(runsOf(STABLE, keys), STABLE);
    const splitters = await chooseSplitters(shares, STABLE, 50, { whole: false });
    const bytes = await rangeBytes(shares, splitters, false);
    expect(Math.min(...bytes)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...bytes) / (bytes.reduce((sum, more) => sum + more, 0) / 50)).toBeLessThan(most);
  },
);

property(
  'separate no equal keys if only one of them is kept',
  [several(1, 20, several(0, 300, fc.nat(39)))],
  async (keys) => {
    const ordering = byNumber({ lastResort: false, unique: true });
    const { shares } = await storedShares(runsOf(ordering, keys), ordering);
    const splitters = await chooseSplitters(shares, ordering, 20, { whole: true });
    for (const [i, { record }] of splitters.slice(1).entries())
      expect(compareRecords(ordering, splitters[i].record, record)).toBeLessThan(0);
  },
  { runs: 10 },
);
