/**
 * Displacement: how far records are from their sorted positions, and how many merge passes are left if merges move only
 * what overlaps.
 */
import { describe, expect, it } from 'vitest';
import { type Displacement, displacementOf, keyValues, mergedPasses } from '../../src/plan/displacement.js';
import { random } from '../support/random.js';

const TOTAL = 1e6;
const WINDOWS = 32;
const LENGTH = 32;

/** The displacement found in a sample of an input whose record i has the key `key(i)`. */
function sampled(key: (i: number) => number): Displacement {
  const values = Float64Array.from({ length: WINDOWS * LENGTH }, (_, i) =>
    key((Math.floor(i / LENGTH) * TOTAL) / WINDOWS + (i % LENGTH)),
  );
  return displacementOf(Array<number>(WINDOWS).fill(LENGTH), values);
}

describe('displacement', () => {
  it('is zero for sorted input and for equal keys', () => {
    for (const found of [sampled((i) => i), sampled(() => 1)]) {
      expect(found).toEqual({ windows: WINDOWS, displacement: 0, strays: 0, courses: 1, overlaps: [0, 0, 0, 0, 0] });
      expect(mergedPasses(found, TOTAL, TOTAL, 2048)).toBe(0);
    }
  });
  it.each([20, 300, 5000, 100_000])(
    'is about half the greatest distance if keys are up to %i places from home',
    (most) => {
      const next = random(most);
      const { displacement } = sampled((i) => i + (2 * next() - 1) * most);
      expect(displacement * TOTAL).toBeGreaterThan(most / 4);
      expect(displacement * TOTAL).toBeLessThan(1.2 * most);
    },
  );
  it('counts courses, and distinguishes reverse order from disorder', () => {
    expect(sampled((i) => -i)).toMatchObject({ strays: 0, courses: 1 });
    expect(sampled((i) => i % (TOTAL / 4)).courses).toBeGreaterThan(2.5);
    expect(sampled((i) => i % (TOTAL / 4)).courses).toBeLessThan(4.5);
    const next = random(2);
    expect(sampled(() => next()).strays).toBeGreaterThan(0.15);
  });
  it('measures the distance of a few distant records', () => {
    const next = random(5);
    const { displacement } = sampled((i) => i - (next() < 0.02 ? 20_000 : 0));
    expect(displacement * TOTAL).toBeGreaterThan(10_000);
    expect(displacement * TOTAL).toBeLessThan(30_000);
  });
});

describe('merges that move only overlaps', () => {
  it('move nothing if all records are near, one pass for each doubling up to the distance, all passes in disorder', () => {
    const next = random(9);
    const near = (most: number): number =>
      mergedPasses(
        sampled((i) => i + (2 * next() - 1) * most),
        TOTAL,
        TOTAL,
        2048,
      );
    expect(near(500)).toBe(0);
    expect(near(20_000)).toBeGreaterThan(2.5);
    expect(near(20_000)).toBeLessThan(5.5);
    // Nine merge levels from runs of 2,048 to a million.
    expect(near(1e7)).toBeGreaterThan(8.5);
    expect(
      mergedPasses(
        sampled((i) => -i),
        TOTAL,
        TOTAL,
        2048,
      ),
    ).toBe(9);
  });
  it('move all records once if each half is in order', () => {
    expect(
      mergedPasses(
        sampled((i) => i % (TOTAL / 2)),
        TOTAL,
        TOTAL,
        2048,
      ),
    ).toBeCloseTo(1, 1);
    // A chunk of a tenth of the input does not contain both halves.
    expect(
      mergedPasses(
        sampled((i) => i % (TOTAL / 2)),
        TOTAL / 10,
        TOTAL,
        2048,
      ),
    ).toBe(0);
  });
});

it('keyValues keeps distances of numbers in windows that are far apart', () => {
  const next = random(4);
  const places = Array.from({ length: 1024 }, (_, i) => (i >> 5) * 130_000_001 + (i & 31) + Math.floor(next() * 256));
  const values = keyValues(
    places.map((place) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64BE(BigInt(place) << 16n);
      return bytes;
    }),
    0,
    8,
    false,
  );
  const { displacement } = displacementOf(Array<number>(32).fill(32), values);
  expect(displacement * 32 * 130_000_001).toBeLessThan(256);
});

it('keyValues keeps the order of byte strings; the end of a string sorts first', () => {
  const texts = ['p', 'p\0', 'pa', 'paa', 'pab', 'pb', 'q\xff'].map((text) => Buffer.from(text, 'latin1'));
  const values = keyValues(texts, 0, 8, false);
  for (let i = 1; i < texts.length; i++) expect(values[i]).toBeGreaterThan(values[i - 1]);
  expect(keyValues(texts, 0, 8, true)).toEqual(values.map((value) => 0 - value));
  expect(keyValues(texts, 0, 1, false)).toEqual(Float64Array.of(0, 0, 0, 0, 0, 0, 0.5));
});
