/** Sorting and distributing small records, against a plain stable sort. The kernels come from the build, so build first. */
import { describe, expect, it } from 'vitest';
import { distributeSmall } from '../../src/cpu/distribute-small.js';
import { placeSplitters } from '../../src/cpu/distribute-text.js';
import { type CpuKernels, compileKernels, INDEX_STEP, openKernels, placeTexts } from '../../src/cpu/kernels.js';
import { type RecordShape, shapeOf } from '../../src/cpu/shape.js';
import { placeSmall } from '../../src/cpu/small.js';
import { sortSmall } from '../../src/cpu/sort-small.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { divideSample } from '../../src/keys/splitters.js';
import { finish } from '../../src/steps.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { byFixed } from './support.js';

const module = compileKernels();
const kernelsFor = (shape: RecordShape): CpuKernels => placeSmall(openKernels(module, shape), shape.small!);

/** How the bytes of record `i` of `count` are made: `set` stores byte `at`. */
const DISTRIBUTIONS: Readonly<Record<string, (below: RandomBelow, record: Buffer, i: number) => void>> = {
  random: (below, record) => record.forEach((_, at) => (record[at] = below(256))),
  few: (below, record) => record.forEach((_, at) => (record[at] = 7 * below(2))),
  equal: () => {},
  // The leading bytes seem to separate the records, but are all alike: insertion sort has too much to do.
  alike: (below, record) => {
    record.fill(below(256));
    for (let at = 5; at < record.length; at++) record[at] = below(256);
  },
  rising: (_, record, i) => record.length > 3 && record.writeUInt32BE(i, 0),
  falling: (_, record, i) => record.length > 3 && record.writeUInt32BE(0xffffffff - i, 0),
  skewed: (below, record) => record.forEach((_, at) => (record[at] = below(1 + below(1 + below(256))))),
};

function randomOrdering(below: RandomBelow): Ordering {
  const size = 1 + below(16);
  const length = 1 + below(size);
  const unique = below(4) === 0;
  return byFixed(size, below(3) === 0 ? null : [below(size - length + 1), length], {
    reverse: below(3) === 0,
    unique,
    lastResort: !unique && below(2) === 0,
  });
}

const sizeOf = ({ format }: Ordering): number => (format.kind === 'fixed' ? format.size : 0);

function randomRecords(below: RandomBelow, ordering: Ordering, name: string, count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => {
    const record = Buffer.alloc(sizeOf(ordering));
    DISTRIBUTIONS[name](below, record, i);
    return record;
  });
}

function sorted(records: readonly Buffer[], ordering: Ordering): Buffer {
  const ordered = records.toSorted((a, b) => compareRecords(ordering, a, b));
  const kept = (record: Buffer, i: number): boolean =>
    !ordering.unique || i === 0 || compareRecords(ordering, ordered[i - 1], record) !== 0;
  return Buffer.concat(ordered.filter(kept));
}

describe.each(Object.keys(DISTRIBUTIONS))('small records, %s', (name) => {
  it('are sorted', () => {
    const below = randomBelow(name.length);
    for (let round = 0; round < 60; round++) {
      const ordering = randomOrdering(below);
      const records = randomRecords(below, ordering, name, [1, 2, 17, 300, 40_000][round < 55 ? below(4) : 4]);
      const text = Buffer.concat(records);
      const shape = shapeOf(ordering);
      const kernels = kernelsFor(shape);
      const target = new Uint8Array(text.length);
      const placed = placeTexts(kernels, [text]);
      const outcome = finish(sortSmall(kernels, shape, shape.small!, placed, false, () => target));
      const wanted = sorted(records, ordering);
      const label = `${JSON.stringify(ordering)}, ${records.length} records`;
      expect(wanted.equals(target.subarray(0, outcome.bytes)), label).toBe(true);
      expect(outcome.records).toBe(wanted.length / shape.size);
      expect([...outcome.index]).toEqual(
        Array.from({ length: Math.ceil(outcome.records / INDEX_STEP) }, (_, i) => i * INDEX_STEP * shape.size),
      );
      const isInOrder = wanted.equals(text);
      expect(outcome.natural, label).toBe(isInOrder ? 'in order' : undefined);
    }
  });

  it('are distributed: buckets in order, records of each in input order', () => {
    const below = randomBelow(100 + name.length);
    for (let round = 0; round < 40; round++) {
      const ordering = randomOrdering(below);
      if ((ordering.key.kind === 'bytes' ? ordering.key.length : sizeOf(ordering)) > 8) continue;
      const records = randomRecords(below, ordering, name, 1 + below(2000));
      const buckets = 2 ** (1 + below(8));
      // Some records are not like those of the sample.
      const { splitters } = divideSample([records.slice(0, 1 + below(records.length))], ordering, buckets);
      const shape = shapeOf(ordering);
      const kernels = placeSplitters(kernelsFor(shape), shape, splitters);
      const text = Buffer.concat(records);
      const target = Buffer.alloc(text.length);
      const placed = placeTexts(kernels, [text]);
      const outcome = finish(distributeSmall(kernels, shape, placed, buckets, () => target));
      expect(outcome.buckets!.length).toBe(buckets);
      expect(outcome.buckets!.at(-1)).toBe(text.length);
      const places = new Map(records.map((record, i) => [record.toString('latin1'), i]));
      const parts = outcome.buckets!.map((end, i) =>
        cut(target.subarray(outcome.buckets![i - 1] ?? 0, end), shape.size),
      );
      // Sorting each bucket, stably, sorts the whole.
      const joined = Buffer.concat(parts.map((part) => sorted(part, { ...ordering, unique: false })));
      expect(joined.equals(sorted(records, { ...ordering, unique: false })), JSON.stringify(ordering)).toBe(true);
      if (places.size < records.length) continue;
      for (const part of parts) {
        const order = part.map((record) => places.get(record.toString('latin1'))!);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }
    }
  });
});

function cut(text: Buffer, size: number): Buffer[] {
  return Array.from({ length: text.length / size }, (_, i) => text.subarray(i * size, (i + 1) * size));
}
