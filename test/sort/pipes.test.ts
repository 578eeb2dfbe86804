/** Streams against GNU sort: one within the read-ahead, one beyond it. pipes.slow.test.ts has the others. */
import { expect, it } from 'vitest';
import { AHEAD, DISTRIBUTED, gnuSort, lines, useStreams } from './streams.js';

const sorted = useStreams();

it('a stream that ends within the read-ahead is sorted as a whole, and verified', () => {
  const { found, expected, stats } = sorted(lines(1e6, 1), ['--verify'], { reference: gnuSort() });
  expect(found).toBe(expected);
  expect(stats).not.toMatch(DISTRIBUTED);
  expect(stats).toMatch(/verified/);
});

it('a stream that ends a byte after the read-ahead is divided into buckets', () => {
  const { found, expected, stats } = sorted(lines(AHEAD + 1, 1), []);
  expect(found).toBe(expected);
  expect(stats).toMatch(DISTRIBUTED);
});
