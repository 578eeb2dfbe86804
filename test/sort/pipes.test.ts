/** Pipes against GNU sort: one within the read-ahead, one beyond it. pipes.slow.test.ts has the others. */
import { expect, it } from 'vitest';
import { DISTRIBUTED, gnuSort, lines, useStreams } from './streams.js';

const sorted = useStreams();

it('sorts a pipe that ends within the read-ahead as a whole and verifies it', () => {
  const { found, expected, stats } = sorted(lines(1e6, 1), ['--verify'], { reference: gnuSort() });
  expect(found).toBe(expected);
  expect(stats).not.toMatch(DISTRIBUTED);
  expect(stats).toMatch(/verified/);
});

it('divides a pipe that is longer than the read-ahead into buckets', () => {
  // In little memory, a quarter of it is read ahead.
  const { found, expected, stats } = sorted(lines(12e6, 1), ['--algorithm', 'sample-sort', '-S', '40M'], {
    reference: gnuSort(),
  });
  expect(found).toBe(expected);
  expect(stats).toMatch(DISTRIBUTED);
});
