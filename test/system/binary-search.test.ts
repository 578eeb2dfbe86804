import { expect, it } from 'vitest';
import { firstIndex, lastIndex } from '../../src/system/binary-search.js';

const SIZES = [0, 1, 2, 3, 4, 7, 8, 9];

it('finds the first index for which a condition holds, and tests no index outside the range', () => {
  for (const from of [0, 5])
    for (const size of SIZES)
      for (let first = from; first <= from + size; first++) {
        const asked: number[] = [];
        const found = firstIndex(from, from + size, (i) => {
          asked.push(i);
          return i >= first;
        });
        expect(found).toBe(first);
        expect(asked.every((i) => i >= from && i < from + size)).toBe(true);
        expect(asked.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size + 1)));
      }
});

it('finds the last index for which a condition holds, assuming that it holds at the first', () => {
  for (const from of [0, 5])
    for (const size of SIZES.slice(1))
      for (let last = from; last < from + size; last++)
        expect(lastIndex(from, from + size, (i) => i <= last)).toBe(last);
});

it('handles indexes beyond 32 bits', () => {
  expect(firstIndex(0, 2 ** 40, (i) => i >= 2 ** 35 + 1)).toBe(2 ** 35 + 1);
});
