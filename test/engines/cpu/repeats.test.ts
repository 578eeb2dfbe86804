/** Repeated records: only distinct ones are sorted, and the result is that of a stable sort. */
import { describe, expect, it } from 'vitest';
import type { CpuKernels } from '../../../src/engines/cpu/kernels.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { equalsAreAlike, ORDERINGS, sizeOf } from '../../support/orderings.js';
import { randomBelow } from '../../support/random.js';
import { sampled } from '../../support/tier.js';
import { expectSorted, kernelsFor } from './support.js';

/** `count` records of `kinds` kinds, some with a common beginning; lines have 0 to 40 bytes. */
function repeated(ordering: Ordering, count: number, kinds: number): Buffer[] {
  const below = randomBelow(kinds);
  const size = sizeOf(ordering);
  const list = Array.from({ length: kinds }, (_, kind) => {
    const text = `${'same'.repeat(below(3))}${'x'.repeat(below(4))}${kind}`.padEnd(below(40), 'y');
    return Buffer.from(size > 0 ? `${below(40)}${text}`.padEnd(size).slice(0, size) : kind === 0 ? '' : text);
  });
  return Array.from({ length: count }, () => list[Math.min(below(kinds), below(kinds))]);
}

/** The same number of records, half of them distinct. */
const halfDistinct = (ordering: Ordering, count: number): Buffer[] =>
  repeated(ordering, count, 20).map((record, i) =>
    i % 2 === 0 ? record : Buffer.from(String((i * 7919) % 1e6).padEnd(sizeOf(ordering) || 12)),
  );

/** Sorts records and checks the result; returns whether only the distinct ones were ordered. */
function foldsRepeats(ordering: Ordering, records: readonly Buffer[]): boolean {
  const kernels = kernelsFor(ordering);
  let calls = 0;
  const watched: CpuKernels = {
    ...kernels,
    gatherRepeats: (...args) => {
      calls++;
      kernels.gatherRepeats(...args);
    },
  };
  expectSorted(watched, ordering, records);
  return calls > 0;
}

const INPUTS = [
  { what: '20 distinct records once each', folds: true, make: (by: Ordering) => repeated(by, 20_000, 20) },
  { what: '30 distinct records once each', folds: true, make: (by: Ordering) => repeated(by, 20_000, 30) },
  { what: '700 distinct records once each', folds: true, make: (by: Ordering) => repeated(by, 20_000, 700) },
  { what: 'all records if most are distinct', folds: false, make: (by: Ordering) => repeated(by, 20_000, 40_000) },
  { what: 'all of 30,000 if half are distinct', folds: false, make: (by: Ordering) => halfDistinct(by, 30_000) },
  { what: 'all of 60,000 if half are distinct', folds: false, make: (by: Ordering) => halfDistinct(by, 60_000) },
];
const CASES = INPUTS.flatMap((input) => ORDERINGS.map(([by, ordering]) => ({ ...input, by, ordering })));

describe('sorts', () => {
  it.each(
    sampled(CASES, {
      count: CASES.length,
      seed: 1,
      values: ({ by, what, folds, ordering: { unique, reverse } }) => [by, what, `${folds} ${unique} ${reverse}`],
    }),
  )('$what: $by', ({ ordering, folds, make }) => {
    expect(foldsRepeats(ordering, make(ordering))).toBe(folds && equalsAreAlike(ordering));
  });
});
