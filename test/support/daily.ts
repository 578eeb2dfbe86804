/**
 * What the daily run takes of a long list of cases. The nightly run (GPUSORT_NIGHTLY=1) takes all. By day a seed draws
 * the cases, the same ones on every machine, so that each named value of a case (an option, an engine, a format, a kind
 * of fault) is in the sample at least once.
 */
import { random } from './random.js';

/** Whether this is the nightly run. */
export const NIGHTLY = process.env.GPUSORT_NIGHTLY === '1';

/** How a sample is drawn. */
export interface Draw<T> {
  /** The number of cases. If their values need more, the sample is larger. */
  readonly count: number;
  readonly seed: number;
  /** The values of a case, each of which must be drawn at least once, for example `-r` and `chunks`. */
  readonly values?: (one: T, index: number) => readonly (string | number | boolean | null)[];
  /** Cases that are always drawn: they once found an error, or nothing else has their value. */
  readonly always?: (one: T, index: number) => boolean;
}

/** The cases of this run, in their order: all at night, a sample by day. */
export function dailySample<T>(cases: readonly T[], draw: Draw<T>): readonly T[] {
  return NIGHTLY ? cases : sample(cases, draw);
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
  const order = shuffled(cases.length, seed);
  const gain = (i: number): number => named[i].filter((value) => missing.has(value)).length;
  // The case with the most values that are still missing comes next, the first of equals in the drawn order.
  while (missing.size > 0) take(order.reduce((best, i) => (gain(i) > gain(best) ? i : best)));
  for (const i of order) {
    if (drawn.size >= count) break;
    take(i);
  }
  return cases.filter((_, i) => drawn.has(i));
}

/** The numbers 0 to n - 1 in random order (Fisher and Yates). */
function shuffled(n: number, seed: number): number[] {
  const next = random(seed);
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
