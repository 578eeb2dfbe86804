/** Buckets larger than a tile are distributed once more; the result is that of a stable sort. */
import { expect, it } from 'vitest';
import { placeTexts } from '../../../src/engines/cpu/kernels.js';
import { shapeOf } from '../../../src/engines/cpu/shape.js';
import { sortBucket } from '../../../src/engines/cpu/sort-bucket.js';
import { TILE_BYTES, TILE_TOLERANCE } from '../../../src/engines/cpu/tiles.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { finish } from '../../../src/system/resumable.js';
import { ORDERINGS, sizeOf } from '../../support/orderings.js';
import { randomBelow } from '../../support/random.js';
import { sampled } from '../../support/tier.js';
import { expectText, kernelsFor, repeatedRecords } from './support.js';

/** The least bytes of a bucket that is distributed once more, and a few. */
const BYTES = TILE_BYTES * TILE_TOLERANCE + 1000;

/** `count` records of 20 to 90 bytes, or of the ordering's size, that begin with the same bytes. */
function records(ordering: Ordering, count: number): Buffer[] {
  const below = randomBelow(count);
  const size = sizeOf(ordering);
  return Array.from({ length: count }, () => {
    const text = `same ${below(1e9)} ${'z'.repeat(below(70))}`.padEnd(20);
    return Buffer.from(size > 0 ? text.slice(5).padEnd(size).slice(0, size) : text);
  });
}

/** Sorts a bucket, checks the text, and returns whether it was distributed and how often pieces were ordered. */
function sort(ordering: Ordering, some: readonly Buffer[]): { readonly fills: number; readonly samples: number } {
  const { text, sorted } = repeatedRecords(some, BYTES, ordering);
  const kernels = kernelsFor(ordering);
  let [fills, samples] = [0, 0];
  const watched = {
    ...kernels,
    fillBuckets: (...args: Parameters<typeof kernels.fillBuckets>) => {
      fills++;
      kernels.fillBuckets(...args);
    },
    sampleKeys: (...args: Parameters<typeof kernels.sampleKeys>) => {
      samples++;
      return kernels.sampleKeys(...args);
    },
  };
  const placed = placeTexts(watched, [text]);
  const target = Buffer.alloc(text.length);
  const outcome = finish(sortBucket(watched, shapeOf(ordering), placed, { limit: null, form: 'run' }, target));
  expectText(outcome, target, sorted, ordering);
  return { fills, samples };
}

const CASES = ORDERINGS.map(([by, ordering]) => ({ by, ordering }));

it.each(sampled(CASES, { count: 8, seed: 1, values: ({ ordering: { unique, reverse } }) => [`${unique} ${reverse}`] }))(
  'a large bucket is sorted in pieces: $by',
  ({ ordering }) => {
    const { fills, samples } = sort(ordering, records(ordering, 5000));
    expect(samples).toBe(1);
    expect(fills).toBeGreaterThan(0);
  },
);

it.each(sampled(CASES, { count: 4, seed: 2 }))('a bucket of equal records is sorted whole: $by', ({ ordering }) => {
  expect(sort(ordering, records(ordering, 1))).toEqual({ fills: 0, samples: 1 });
});

it.each(sampled(CASES, { count: 4, seed: 3 }))(
  'a bucket of which most records are equal is sorted whole: $by',
  ({ ordering }) => {
    const some = records(ordering, 1000);
    sort(
      ordering,
      some.map((record, i) => (i % 4 === 0 ? record : some[0])),
    );
  },
);

it('a small bucket is sorted as it is', () => {
  const ordering = CASES[0].ordering;
  const { text, sorted } = repeatedRecords(records(ordering, 50), 10_000, ordering);
  const kernels = kernelsFor(ordering);
  const never = (): never => expect.unreachable();
  const placed = placeTexts(kernels, [text]);
  const target = Buffer.alloc(text.length);
  const options = { limit: null, form: 'run' } as const;
  const outcome = finish(sortBucket({ ...kernels, sampleKeys: never }, shapeOf(ordering), placed, options, target));
  expectText(outcome, target, sorted, ordering);
});
