/** The choice of runs that are merged early moves no byte more often than balanced merge levels would. */
import { expect, it } from 'vitest';
import type { Run, Slice } from '../../src/contract/engine.js';
import { shortest } from '../../src/runs/keep.js';

const slice = (bytes: number): Slice => ({
  run: {} as Run,
  from: { byte: 5 },
  to: { byte: 5 + bytes },
});

it('finds the neighboring runs with the fewest bytes, the first of equal ones', () => {
  expect(shortest([9, 1, 2, 8, 1, 1].map(slice), 2)).toBe(4);
  expect(shortest([1, 2, 1, 2].map(slice), 3)).toBe(0);
  expect(shortest([7].map(slice), 1)).toBe(0);
  expect(shortest([3, 1, 1, 1].map(slice), 2)).toBe(1);
});

it('moves each byte about once per merge level at most', () => {
  const most = 10;
  for (const [count, levels] of [
    [11, 1],
    [100, 1],
    [1000, 2],
    [5000, 3],
  ] as const) {
    let runs: number[] = Array(count).fill(1);
    let moved = 0;
    while (runs.length > most) {
      const taken = Math.min(most, runs.length - most + 1);
      const from = shortest(runs.map(slice), taken);
      const group = runs.slice(from, from + taken).reduce((sum, bytes) => sum + bytes, 0);
      moved += group;
      runs = [...runs.slice(0, from), group, ...runs.slice(from + taken)];
    }
    expect(moved / count, String(count)).toBeLessThanOrEqual(levels * 1.1);
  }
});
