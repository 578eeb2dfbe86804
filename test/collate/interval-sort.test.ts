/** Line numbers sorted by intervals and comparisons, against sorting by the comparisons alone. */
import { expect, it } from 'vitest';
import { sortLines } from '../../src/collate/interval-sort.js';
import { compareIntervals, type Intervals } from '../../src/keys/collation/primary-weights.js';
import { randomBelow } from '../support/random.js';

const below = randomBelow(3);

/** Numbers in place of strings, many of them equal, with intervals around some of them. */
function cases(
  count: number,
  distinct: number,
  wide: number,
): { readonly values: number[]; readonly intervals: Intervals } {
  const values = Array.from({ length: count }, () => below(distinct) * Math.floor(2 ** 52 / distinct));
  const intervals = { firsts: new Float64Array(count), more: new Float64Array(3 * count) };
  values.forEach((value, i) => {
    const low = below(100) < wide ? Math.max(0, value - below(2 ** 30)) : value;
    const high = low === value ? value : value + 1 + below(2 ** 30);
    intervals.firsts[i] = low === high ? low : -1 - low;
    intervals.more[3 * i] = high;
  });
  return { values, intervals };
}

it.each([
  [10, 5, 0],
  [2000, 5, 0],
  [2000, 1e9, 0],
  [2000, 1000, 20],
  [2000, 3, 50],
  [3000, 1e9, 100],
  [5000, 2 ** 22, 10],
])('sorts %i lines, %i distinct, %i %% with wide intervals', (count, distinct, wide) => {
  const { values, intervals } = cases(count, distinct, wide);
  // The order that decides if the intervals do not; it is the order of the values.
  const rank = (i: number): number => values[i] * 2 + Number(values[i] % 3 !== 0);
  const compare = (a: number, b: number): number => compareIntervals(intervals, a, intervals, b) || rank(a) - rank(b);
  const [from, to] = [3, count - 2];
  const list = Uint32Array.from({ length: count }, (_, i) => i);
  const expected = [
    ...list.slice(0, from),
    ...Array.from(list.slice(from, to)).sort((a, b) => rank(a) - rank(b)),
    ...list.slice(to),
  ];
  sortLines(list, new Uint32Array(count), from, to, intervals, compare);
  expect([...list]).toEqual(expected);
});
