/** Ties predicted from a sample: refinement rounds on samples made by hand, and small samples against all records. */
import { describe, expect, it } from 'vitest';
import { type SampleStatistics, statisticsOf } from '../../src/plan/statistics.js';
import { SURPRISE_BYTES, surprises } from '../../src/plan/surprise.js';
import { splitLevels, tieRounds } from '../../src/plan/ties.js';
import { random } from '../support/random.js';
import { LINES } from '../support/records.js';
import { sampled } from '../support/tier.js';
import { SHAPES, sampleFor } from './samples.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const sample = (texts: string[]): SampleStatistics => statisticsOf([texts.map(bytes)], LINES)!;
const MANY = 2 ** 16;
const FEW = 2 ** 11;
/** Two samples of MANY records of a shape: one of all records, and one of FEW, in evenly spaced windows. */
function manyAndFew(shape: string): [SampleStatistics, SampleStatistics] {
  const next = random(7);
  const all = Array.from({ length: MANY }, (_, i) => bytes(SHAPES[shape](next, i)));
  const windows = Array.from({ length: 32 }, (_, w) => all.slice((w * MANY) / 32, (w * MANY) / 32 + FEW / 32));
  return [statisticsOf([all], LINES)!, statisticsOf(windows, LINES)!];
}

describe('rounds of ties', () => {
  it('do not exist if the keys distinguish all records', () => {
    expect(tieRounds(sampleFor('random100'), 1e6, () => 9)).toEqual([]);
    expect(tieRounds(sampleFor('dna150'), 1e6, () => 28)).toEqual([]);
  });
  it('include all records if the keys are too short', () => {
    const [first, second] = tieRounds(sampleFor('dna150'), 2 ** 20, () => 8);
    expect(first!.share).toBeGreaterThan(0.9);
    expect(second?.share ?? 0).toBeLessThan(0.05);
  });
  it('number one for equal records, which share the rest of their bytes', () => {
    const equal = { ...sampleFor('equal100'), commonPrefix: 0 };
    expect(tieRounds(equal, 1e6, () => 8)).toEqual([{ share: 1, sharedBytes: 91, chance: 1 }]);
    // No ties if the sort skips the common prefix.
    expect(tieRounds(sampleFor('equal100'), 1e6, () => 8)).toEqual([]);
  });
  it('number one for each level of groups within groups', () => {
    // With 2 bytes a key, four records are tied. After the next 2 bytes two pairs are left; the fifth byte resolves
    // them.
    const tree = sample(['aaaa1', 'aaaa2', 'aabb1', 'aabb2', 'b']);
    const chance = 1 - Math.exp(-2);
    expect(tieRounds(tree, 5, () => 2)).toEqual([
      { share: 4 / 5, sharedBytes: 0, chance },
      { share: 4 / 5, sharedBytes: 0, chance },
    ]);
    // Records that end within the key are settled: stability orders equal ones.
    expect(tieRounds(sample(['ab', 'ab', 'ab']), 3, () => 3)).toEqual([]);
    expect(tieRounds({ ...sample(['ab', 'ab', 'ab']), commonPrefix: 0 }, 3, () => 2)).toEqual([]);
  });
  it('end even for the longest records', () => {
    const long = sample(Array.from({ length: 50 }, (_, i) => 'ab'.repeat(3000 + i)));
    expect(tieRounds({ ...long, commonPrefix: 0 }, 1e6, () => 1).length).toBeLessThan(4097);
  });
  const REACHES = { urls: 10, words: 8, dna150: 6, random11: 2, nearlog: 8, sorted100: 12 };
  it.each(sampled(Object.entries(REACHES), { count: 6, seed: 1 }))(
    'are predicted by a small sample of %s as by all records',
    (shape, reach) => {
      const [many, few] = manyAndFew(shape);
      const [truth, predicted] = [tieRounds(many, MANY, () => reach), tieRounds(few, MANY, () => reach)];
      truth.forEach(({ share }, round) => {
        expect(Math.abs((predicted[round]?.share ?? 0) - share)).toBeLessThan(0.2);
      });
      for (const { share } of predicted.slice(truth.length)) expect(share).toBeLessThan(0.05);
    },
  );
  it('are as likely as a pair of equal keys', () => {
    // With 64 letters and 6 bits a letter, 7 letters have 42 bits. 2^20 records have 2^39 pairs.
    const [first] = tieRounds(sampleFor('random100'), 2 ** 20, () => 7);
    expect(first!.chance).toBeGreaterThan(0.02);
    expect(first!.chance).toBeLessThan(0.7);
  });
});

describe('splits', () => {
  const keys = { tile: 2048, digitBits: 8, symbolBits: 6, symbols: 10 };
  it('take no level for one tile, one for many random records, two for more', () => {
    const records = sampleFor('random100');
    expect(splitLevels(records, 2048, keys)).toBe(0);
    expect(splitLevels(records, 1e5, keys)).toBe(1);
    expect([2, 3]).toContain(splitLevels(records, 1e7, keys));
  });
  it('end for equal keys, and skip the bytes that keys share', () => {
    expect(splitLevels(sampleFor('equal100'), 1e6, keys)).toBe(3);
    const [, few] = manyAndFew('sorted100');
    expect(splitLevels(few, MANY, { ...keys, symbolBits: 5, symbols: 12 })).toBeLessThan(6);
  });
});

it('a random digit carries over three bits, a predictable byte almost none, the end of a record none', () => {
  const next = random(3);
  const records = Array.from({ length: 1000 }, () =>
    bytes(`/${['alpha', 'beta'][Math.floor(next() * 2)]}/${String(Math.floor(next() * 1e6)).padStart(6, '0')}`),
  );
  const bits = surprises(records, new Uint8Array(1000), 0, Infinity);
  let [words, digits] = [0, 0];
  records.forEach(({ length }, r) => {
    const at = (i: number): number => bits[r * SURPRISE_BYTES + i - 1];
    words += at(length - 6) / 1000;
    digits += (at(length) - at(length - 6)) / 1000;
    expect(at(SURPRISE_BYTES)).toBe(at(length));
  });
  expect(words).toBeGreaterThan(0.9);
  expect(words).toBeLessThan(1.5);
  expect(Math.abs(digits - 6 * Math.log2(10))).toBeLessThan(2);
});
