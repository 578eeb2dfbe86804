/**
 * The tier of a test file, and the cases of a long list that belong to it. A file of `npm test` (quick) takes the
 * smallest sample that has each named value (an option, an engine, a format, a kind of fault) at least once. A slow
 * file, and a file that is named on the command line, takes a larger one (all), and `npm run test:nightly` takes all
 * cases. A seed draws the cases, so they are the same on every machine.
 */
import { expect } from 'vitest';
import { random, shuffled } from './random.js';

/** The three tiers, the fewest tests first. The launcher (test/setup/run.mjs) sets the variable. */
type Tier = 'quick' | 'all' | 'nightly';

const named = process.env.GPUSORT_TEST_TIER ?? 'all';
if (named !== 'quick' && named !== 'all' && named !== 'nightly') throw new Error(`GPUSORT_TEST_TIER=${named}`);
export const NIGHTLY = named === 'nightly';

/** The tier of the test file that is running. */
export function tier(): Tier {
  const isSlow = expect.getState().testPath!.endsWith('.slow.test.ts');
  return named === 'quick' && isSlow ? 'all' : (named as Tier);
}

/** How a sample is drawn. */
export interface Draw<T> {
  /** The number of cases of the larger sample. If their values need more, it is larger. */
  readonly count: number;
  readonly seed: number;
  /** The values of a case, each of which must be drawn at least once, for example `-r` and `chunks`. */
  readonly values?: (one: T, index: number) => readonly (string | number | boolean | null)[];
  /** Cases that the larger sample always has. */
  readonly always?: (one: T, index: number) => boolean;
}

/** The cases of this run, in their order. */
export function sampled<T>(cases: readonly T[], draw: Draw<T>): readonly T[] {
  if (NIGHTLY) return cases;
  const larger = sample(cases, draw);
  return tier() === 'all' ? larger : sample(larger, { ...draw, count: 1, always: () => false });
}

/** A sample, whatever the run. */
export function sample<T>(
  cases: readonly T[],
  { count, seed, values = () => [], always = () => false }: Draw<T>,
): readonly T[] {
  // Values of different positions are different, even if they read the same.
  const named = cases.map((one, i) => values(one, i).map((value, position) => `${position} ${value}`));
  const missing = new Set(named.flat());
  const drawn = new Set<number>();
  const take = (i: number): void => {
    drawn.add(i);
    for (const value of named[i]) missing.delete(value);
  };
  for (const [i, one] of cases.entries()) if (always(one, i)) take(i);
  const order = shuffled([...cases.keys()], random(seed));
  const gain = (i: number): number => named[i].filter((value) => missing.has(value)).length;
  // The case with the most values that are still missing comes next, the first of equals in the drawn order.
  while (missing.size > 0) take(order.reduce((best, i) => (gain(i) > gain(best) ? i : best)));
  for (const i of order) {
    if (drawn.size >= count) break;
    take(i);
  }
  return cases.filter((_, i) => drawn.has(i));
}
