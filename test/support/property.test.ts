/** Properties: the message of a failure, how to repeat it, and that the draws follow from the seed. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { holdsForAll, property } from './property.js';

/** Draws 50 lists of numbers; collects them if none is refused. */
async function drawn(seed: number): Promise<number[][]> {
  const lists: number[][] = [];
  await holdsForAll([fc.array(fc.nat(99))], (list) => void lists.push(list), { numRuns: 50, seed });
  return lists;
}

it('draws the same cases for the same seed', async () => {
  expect(await drawn(1)).toEqual(await drawn(1));
  expect(await drawn(1)).not.toEqual(await drawn(2));
});

it('shows the smallest case, and how to repeat it', async () => {
  const fails = holdsForAll([fc.nat(1000)], (n) => expect(n).toBeLessThan(17), { numRuns: 100, seed: 3 });
  await expect(fails).rejects.toThrow(/^fails for 17 \(shrunk \d+ times\)\nGPUSORT_TEST_REPEAT=3:[\d:]+ repeats it\n/);
});

let times = 0;
property('runs at least once', [fc.constant(1)], () => void times++, { runs: 1 });
it('counts the runs of a property', () => expect(times).toBe(process.env.GPUSORT_TEST_TIER === 'nightly' ? 20 : 1));
