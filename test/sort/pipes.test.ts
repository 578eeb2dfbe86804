/** Streams against GNU sort: one within the read-ahead, one beyond it. pipes.slow.test.ts has the others. */
import { expect, it } from 'vitest';
import { AHEAD, DISTRIBUTED, gnuSort, lines, useStreams } from './streams.js';

const sorted = useStreams();

it('sorts a stream that ends within the read-ahead as a whole and verifies it', () => {
  const { found, expected, stats } = sorted(lines(1e6, 1), ['--verify'], { reference: gnuSort() });
  expect(found).toBe(expected);
  expect(stats).not.toMatch(DISTRIBUTED);
  expect(stats).toMatch(/verified/);
});

it('divides a stream that ends a byte after the read-ahead into buckets', () => {
  const { found, expected, stats } = sorted(lines(AHEAD + 1, 1), []);
  expect(found).toBe(expected);
  expect(stats).toMatch(DISTRIBUTED);
});
