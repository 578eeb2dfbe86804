/** What a sample tells: statistics on inputs made by hand, growth towards many records, rounds of ties. */
import { describe, expect, it } from 'vitest';
import { prefixGrowth, sampleOf, tieRounds, type Sample } from '../../src/plan/sample.js';
import type { Ordering } from '../../src/job.js';
import { LINES } from '../support/records.js';
import { sampleFor } from './samples.js';

const records = (...texts: string[]): Uint8Array[] => texts.map((text) => Buffer.from(text, 'latin1'));
const sample = (texts: string[], ordering: Ordering = LINES): Sample => sampleOf([records(...texts)], ordering)!;

describe('statistics', () => {
  it('of a handful of records', () => {
    expect(sample(['abd', 'abc', 'abcde', 'abc'])).toMatchObject({
      records: 4, recordBytes: 4.5, orderedBytes: 3.5, alphabet: 5, symbolBits: 3, keySymbols: 21, commonPrefix: 2,
      // In order: abc, abc, abcde, abd.
      neighbourPrefix: (3 + 3 + 2) / 3, distinct: 0.5, differingSymbols: 3,
    });
  });
  it('of keys in fixed records, with and without what else orders them', () => {
    const fixed: Ordering = { format: { kind: 'fixed', size: 4 }, key: { kind: 'bytes', offset: 1, length: 2 }, reverse: false, unique: false, lastResort: true };
    expect(sample(['xab1', 'yab2', 'zac3'], fixed)).toMatchObject({ recordBytes: 4, orderedBytes: 6, commonPrefix: 1, distinct: 1, alphabet: 9 });
    expect(sample(['xab1', 'yab2', 'zac3'], { ...fixed, lastResort: false })).toMatchObject({ orderedBytes: 2, distinct: 1 / 3 });
  });
  it('knows order and its reverse from disorder', () => {
    expect(sampleFor('sorted100').scatter).toBe(0);
    expect(sampleFor('reversed100').scatter).toBe(0);
    expect(sampleFor('random100').scatter).toBeGreaterThan(0.7);
    expect(sampleFor('equal100').scatter).toBe(1);
  });
  it('is none of fewer than two records', () => {
    expect(sampleOf([], LINES)).toBeNull();
    expect(sampleOf([records('a')], LINES)).toBeNull();
    expect(sample(['', ''])).toMatchObject({ orderedBytes: 0, alphabet: 0, distinct: 0 });
  });
});

describe('growth', () => {
  it('of random letters is that of the logarithm', () => {
    // What neighbours among 2^15 records of the same kind really share.
    for (const shape of ['dna150', 'random100']) {
      const few = sampleFor(shape);
      const many = sampleFor(shape, 2 ** 15);
      expect(Math.abs(few.neighbourPrefix + prefixGrowth(few, 2 ** 15) - many.neighbourPrefix)).toBeLessThan(0.8);
    }
  });
  it('is none where all are equal, and none for fewer records than were looked at', () => {
    expect(prefixGrowth(sampleFor('equal100'), 1e9)).toBe(0);
    expect(prefixGrowth(sampleFor('random100'), 100)).toBe(0);
  });
});

describe('rounds of ties', () => {
  it('are none where keys tell all apart', () => {
    expect(tieRounds(sampleFor('random100'), 1e6, () => 8)).toEqual([]);
    expect(tieRounds(sampleFor('dna150'), 1e6, () => 21)).toEqual([]);
  });
  it('are for all where keys are too short', () => {
    const [first, second] = tieRounds(sampleFor('dna150'), 2 ** 20, () => 8);
    expect(first!.share).toBeGreaterThan(0.9);
    expect(second?.share ?? 0).toBeLessThan(0.05);
  });
  it('are one for equal records, which share what is left of them', () => {
    const equal = { ...sampleFor('equal100'), commonPrefix: 0 };
    expect(tieRounds(equal, 1e6, () => 8)).toEqual([{ share: 1, groupSize: 1e6, sharedBytes: 91 }]);
    // Where the prefix that all share is skipped, none.
    expect(tieRounds(sampleFor('equal100'), 1e6, () => 8)).toEqual([]);
  });
  it('play the rounds of groups in groups', () => {
    // By 2 bytes: four are tied; by the next 2 two pairs, which the next byte parts.
    const tree = sample(['aaaa1', 'aaaa2', 'aabb1', 'aabb2', 'b']);
    expect(tieRounds(tree, 5, () => 2)).toEqual([{ share: 4 / 5, groupSize: 4, sharedBytes: 0 }, { share: 4 / 5, groupSize: 2, sharedBytes: 0 }]);
    // A record that ends within the key is settled: by stability among its equals.
    expect(tieRounds(sample(['ab', 'ab', 'ab']), 3, () => 3)).toEqual([]);
  });
  it('end on the longest records', () => {
    const long = sample(Array.from({ length: 50 }, (_, i) => 'ab'.repeat(3000 + i)));
    expect(tieRounds({ ...long, commonPrefix: 0 }, 1e6, () => 1).length).toBeLessThan(4097);
  });
});
