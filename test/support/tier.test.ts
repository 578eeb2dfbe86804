/** The daily sample: every value at least once, the same each time, spread over the list. */
import { expect, it } from 'vitest';
import { sample } from './tier.js';

const CASES = Array.from({ length: 400 }, (_, i) => ({ engine: i % 3, option: i % 7, rare: i === 211 }));
const values = ({ engine, option, rare }: (typeof CASES)[number]): (number | boolean)[] => [engine, option, rare];

it('holds every value, and the requested number of cases', () => {
  for (let seed = 0; seed < 20; seed++) {
    const drawn = sample(CASES, { count: 12, seed, values });
    expect(drawn.length).toBe(12);
    expect(new Set(drawn.map(({ engine }) => engine)).size).toBe(3);
    expect(new Set(drawn.map(({ option }) => option)).size).toBe(7);
    expect(drawn).toContain(CASES[211]);
  }
});

it('grows until it holds every value and every case that is always drawn', () => {
  const drawn = sample(CASES, { count: 1, seed: 3, values, always: (_, i) => i === 5 });
  expect(drawn).toContain(CASES[5]);
  expect(new Set(drawn.map(({ option }) => option)).size).toBe(7);
  expect(drawn.length).toBeLessThan(12);
  expect(sample(CASES, { count: 1000, seed: 1 })).toEqual(CASES);
  expect(sample([], { count: 3, seed: 1 })).toEqual([]);
});

it('keeps the order, depends on the seed alone, and is spread over the list', () => {
  const numbers = Array.from({ length: 1000 }, (_, i) => i);
  const drawn = sample(numbers, { count: 100, seed: 4 });
  expect(drawn).toEqual(sample(numbers, { count: 100, seed: 4 }));
  expect(drawn).not.toEqual(sample(numbers, { count: 100, seed: 5 }));
  expect([...drawn].sort((a, b) => a - b)).toEqual(drawn);
  for (let from = 0; from < 1000; from += 250) {
    const inQuarter = drawn.filter((n) => n >= from && n < from + 250).length;
    expect(inQuarter).toBeGreaterThan(12);
    expect(inQuarter).toBeLessThan(40);
  }
});
