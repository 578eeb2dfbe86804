/**
 * Sorting and distributing small records, against a plain stable sort. The kernels come from the build, so build first.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distributeSmall, placeSplitters } from '../../../src/engines/cpu/distribute.js';
import { type CpuKernels, placeTexts } from '../../../src/engines/cpu/kernels.js';
import { shapeOf } from '../../../src/engines/cpu/shape.js';
import { placeSmall, sortSmall } from '../../../src/engines/cpu/sort-small.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { DividedSample } from '../../../src/keys/splitters.js';
import { finish } from '../../../src/system/resumable.js';
import { seedFor, seeds } from '../../support/distributions.js';
import { byFixed, sizeOf } from '../../support/orderings.js';
import { property } from '../../support/property.js';
import { type RandomBelow, randomBelow } from '../../support/random.js';
import { join, sortedRecords, split } from '../../support/records.js';
import { expectText, kernelsFor } from './support.js';

const smallKernels = (ordering: Ordering): CpuKernels => placeSmall(kernelsFor(ordering), shapeOf(ordering).small!);

/** How the bytes of record `i` of `count` are made: `set` stores byte `at`. */
const DISTRIBUTIONS: Readonly<Record<string, (below: RandomBelow, record: Buffer, i: number) => void>> = {
  random: (below, record) => record.forEach((_, at) => (record[at] = below(256))),
  few: (below, record) => record.forEach((_, at) => (record[at] = 7 * below(2))),
  equal: () => {},
  // The leading bytes seem to separate the records, but are all alike: insertion sort would take too long.
  alike: (below, record) => {
    record.fill(below(256));
    for (let at = 5; at < record.length; at++) record[at] = below(256);
  },
  rising: (_, record, i) => record.length > 3 && record.writeUInt32BE(i, 0),
  falling: (_, record, i) => record.length > 3 && record.writeUInt32BE(0xffffffff - i, 0),
  skewed: (below, record) => record.forEach((_, at) => (record[at] = below(1 + below(1 + below(256))))),
};

/** Orderings of records of 1 to 16 bytes by at most `mostKey` bytes. */
const orderings = (mostKey: number): fc.Arbitrary<Ordering> =>
  fc
    .record({
      size: fc.integer({ min: 1, max: 16 }),
      begin: fc.nat(15),
      length: fc.integer({ min: 1, max: mostKey }),
      isWhole: fc.boolean(),
      reverse: fc.boolean(),
      ties: fc.constantFrom({ lastResort: true }, { lastResort: false }, { lastResort: false, unique: true }),
    })
    .map(({ size, begin, length, isWhole, reverse, ties }) => {
      const from = begin % size;
      const key = [from, Math.min(length, size - from)] as const;
      return byFixed(size, isWhole && size <= mostKey ? null : key, { reverse, ...ties });
    });

function recordsOf(ordering: Ordering, name: string, count: number, seed: number): Buffer[] {
  const below = randomBelow(seed);
  return Array.from({ length: count }, (_, i) => {
    const record = Buffer.alloc(sizeOf(ordering));
    DISTRIBUTIONS[name](below, record, i);
    return record;
  });
}

function sorts(name: string, ordering: Ordering, count: number, seed: number): void {
  const records = recordsOf(ordering, name, count, seed);
  const text = join(records, ordering);
  const shape = shapeOf(ordering);
  const kernels = smallKernels(ordering);
  const target = new Uint8Array(text.length);
  const outcome = finish(sortSmall(kernels, shape, placeTexts(kernels, [text]), 'run', () => target));
  const sorted = sortedRecords(records, ordering);
  expectText(outcome, target, sorted, ordering);
  expect(outcome.natural).toBe(join(sorted, ordering).equals(text) ? 'in order' : undefined);
}

const names = fc.constantFrom(...Object.keys(DISTRIBUTIONS));
property('sorts many small records', [names, orderings(16), fc.constant(40_000), seeds], sorts, { runs: 20 });

describe.each(Object.keys(DISTRIBUTIONS))('small records, %s', (name) => {
  property(
    'are sorted',
    [orderings(16), fc.constantFrom(1, 2, 17, 300), seeds],
    (ordering, count, seed) => sorts(name, ordering, count, seed),
    { runs: 60, seed: seedFor(name) },
  );

  property(
    'are distributed: buckets in order, records of each in input order',
    [orderings(8), fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 8 }), seeds],
    (ordering, count, levels, seed) => {
      const records = recordsOf(ordering, name, count, seed);
      const buckets = 2 ** levels;
      // Some records do not resemble those of the sample.
      const sample = records.slice(0, 1 + (seed % records.length));
      const { splitters } = new DividedSample([sample], ordering).divide(buckets);
      const shape = shapeOf(ordering);
      const { kernels, splitters: placed } = placeSplitters(smallKernels(ordering), shape, splitters);
      const text = join(records, ordering);
      const target = Buffer.alloc(text.length);
      const outcome = finish(distributeSmall(kernels, shape, placeTexts(kernels, [text]), placed, () => target));
      expect(outcome.buckets!.length).toBe(buckets);
      expect(outcome.buckets!.at(-1)).toBe(text.length);
      const parts = outcome.buckets!.map((end, i) =>
        split(target.subarray(outcome.buckets![i - 1] ?? 0, end), ordering),
      );
      // Sorting each bucket, stably, sorts the whole.
      const all = { ...ordering, unique: false };
      const joined = Buffer.concat(parts.map((part) => join(sortedRecords(part, all), all)));
      expect(joined.equals(join(sortedRecords(records, all), all))).toBe(true);
      const places = new Map(records.map((record, i) => [record.toString('latin1'), i]));
      if (places.size < records.length) return;
      for (const part of parts) {
        const order = part.map((record) => places.get(Buffer.from(record).toString('latin1'))!);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }
    },
    { runs: 25, seed: seedFor(name) },
  );
});

it.each([false, true])('distributes small records that share bytes into even buckets (reverse: %s)', (reverse) => {
  const ordering = byFixed(8, null, { reverse });
  const records = recordsOf(ordering, 'rising', 4000, 1);
  const { splitters } = new DividedSample([records], ordering).divide(16);
  expect(splitters.prefix.length).toBeGreaterThan(0);
  const shape = shapeOf(ordering);
  const { kernels, splitters: placed } = placeSplitters(smallKernels(ordering), shape, splitters);
  const text = join(records, ordering);
  const placedText = placeTexts(kernels, [text]);
  const { buckets } = finish(distributeSmall(kernels, shape, placedText, placed, () => Buffer.alloc(text.length)));
  const sizes = buckets!.map((end, i) => end - (buckets![i - 1] ?? 0));
  expect(Math.max(...sizes)).toBeLessThan((2 * text.length) / 16);
});
