/**
 * The CPU engine when only the first or the last records are wanted. Texts sorted one after another, and merges of
 * runs, must keep all wanted records and not many more.
 */
import { describe, expect, it } from 'vitest';
import { createCpuEngine } from '../../src/cpu/engine.js';
import { compileKernels, INDEX_STEP, openKernels } from '../../src/cpu/kernels.js';
import { mergeTexts } from '../../src/cpu/merge-texts.js';
import { shapeOf } from '../../src/cpu/shape.js';
import { TILE_BYTES } from '../../src/cpu/tiles.js';
import type { Limit, Ordering } from '../../src/job.js';
import { wholeRun } from '../../src/runs/partition.js';
import { finish } from '../../src/steps.js';
import { collector, runOf, silent } from '../support/jobs.js';
import { random } from '../support/random.js';
import { join, positionsOf, sortedRecords, split } from '../support/records.js';
import { byFixed, byLines, DISTRIBUTIONS, fixedRecords, repeatedRecords, sortInPlace } from './support.js';

const module = compileKernels();
const ORDERINGS: readonly [string, Ordering][] = [
  ['lines', byLines()],
  ['lines, reverse', byLines({ reverse: true })],
  ['lines, unique', byLines({ unique: true, lastResort: false })],
  ['fixed records by key, stable', byFixed(12, [2, 5], { lastResort: false })],
  ['fixed records by key, reverse', byFixed(12, [2, 5], { reverse: true })],
  ['fixed records by key, unique', byFixed(12, [2, 5], { unique: true, lastResort: false })],
];

/** The records of `sorted` that the limit asks for. */
function wanted<T>(sorted: readonly T[], { count, end }: Limit): T[] {
  return end === 'first' ? sorted.slice(0, count) : sorted.slice(Math.max(0, sorted.length - count));
}

const makeRecords = (
  ordering: Ordering,
  make: (typeof DISTRIBUTIONS)[string],
  count: number,
  next: () => number,
): Buffer[] =>
  ordering.format.kind === 'fixed' ? fixedRecords(make(count, next), ordering.format.size, true) : make(count, next);

describe.each(ORDERINGS)('%s', (_, ordering) => {
  it.each(['first', 'last'] as const)('keeps the %s records of texts, with their index', (end) => {
    for (const [name, make] of Object.entries(DISTRIBUTIONS))
      for (const count of [1, 16, 17, 350]) {
        const limit: Limit = { count, end };
        const next = random(count);
        const kernels = openKernels(module, shapeOf(ordering));
        const all: Buffer[] = [];
        const kept: Buffer[] = [];
        // The more records earlier texts held, the fewer later texts must keep.
        for (const size of [3, 400, 1, 700, 300]) {
          const records = makeRecords(ordering, make, size, next);
          const text = join(records, ordering);
          const outcome = sortInPlace(kernels, shapeOf(ordering), text, limit);
          const left = split(text.subarray(0, outcome.bytes), ordering).map((record) => Buffer.from(record));
          expect(outcome.records, name).toBe(left.length);
          expect(outcome.records, name).toBeLessThan(count + INDEX_STEP);
          expect(outcome.index, name).toEqual(
            Uint32Array.from(
              positionsOf(left, ordering)
                .slice(0, -1)
                .map(({ byte }) => byte)
                .filter((__, i) => i % INDEX_STEP === 0),
            ),
          );
          expect(join(sortedRecords(left, ordering), ordering).equals(text.subarray(0, outcome.bytes)), name).toBe(
            true,
          );
          all.push(...records);
          kept.push(...left);
        }
        const found = wanted(sortedRecords(kept, ordering), limit);
        expect(
          join(found, ordering).equals(join(wanted(sortedRecords(all, ordering), limit), ordering)),
          `${name}, ${count}`,
        ).toBe(true);
      }
  });

  it('keeps the first records of merges', () => {
    const kernels = openKernels(module, shapeOf(ordering));
    for (const [name, make] of Object.entries(DISTRIBUTIONS))
      for (const count of [1, 16, 90, 5000]) {
        const records = makeRecords(ordering, make, 900, random(count));
        const parts = [records.slice(0, 500), records.slice(500, 510), records.slice(510)].map((part) =>
          join(sortedRecords(part, ordering), ordering),
        );
        for (const most of [undefined, 0]) {
          const target = Buffer.alloc(join(records, ordering).length);
          const outcome = finish(
            mergeTexts(kernels, shapeOf(ordering), parts, 0, target, false, { count, end: 'first' }, most),
          );
          expect(outcome.records).toBeLessThan(count + INDEX_STEP);
          const left = split(target.subarray(0, outcome.bytes), ordering).slice(0, count);
          expect(
            join(left, ordering).equals(join(sortedRecords(records, ordering).slice(0, count), ordering)),
            `${name}, ${count}`,
          ).toBe(true);
        }
      }
  });

  it.each(['first', 'last'] as const)('keeps the %s records of chunks and their runs in the engine', async (end) => {
    for (const count of [1, 40, 3000]) {
      const limit: Limit = { count, end };
      const engine = await createCpuEngine({
        ordering,
        limit,
        chunkBytes: 1 << 16,
        rangeBytes: 1 << 16,
        workers: 0,
        residentBytes: null,
        recorder: silent,
      });
      const chunks = [0, 1, 2, 3].map((seed) =>
        makeRecords(ordering, DISTRIBUTIONS.lengths, 300 + 200 * seed, random(seed)),
      );
      const runs = [];
      for (const chunk of chunks) runs.push(await runOf(engine, join(chunk, ordering)));
      for (const run of runs) expect(run.end.index).toBeLessThan(count + INDEX_STEP);
      const out = collector();
      for (const sorted of await engine.merge(runs.map(wholeRun), 0)) await sorted.emit(out.write);
      const expected = wanted(sortedRecords(chunks.flat(), ordering), limit);
      expect(
        join(wanted(split(out.bytes(), ordering), limit), ordering).equals(join(expected, ordering)),
        `${count}`,
      ).toBe(true);
      await engine.close();
    }
  });
});

it('keeps the first and the last records of texts of several tiles', () => {
  for (const [name, ordering] of [
    ['sixteen', byLines()],
    ['urls', byLines({ unique: true, lastResort: false })],
    ['uniform', byFixed(64, [0, 8], { reverse: true })],
  ] as const) {
    const few = DISTRIBUTIONS[name](6000, random(9));
    const some = ordering.format.kind === 'fixed' ? fixedRecords(few, ordering.format.size, true) : few;
    const { text: unsorted, sorted } = repeatedRecords(some, 2.5 * TILE_BYTES, ordering);
    for (const limit of [
      { count: 20, end: 'first' },
      { count: 20, end: 'last' },
      { count: 50_000, end: 'first' },
      { count: 50_000, end: 'last' },
    ] as const) {
      const text = Buffer.from(unsorted);
      const outcome = sortInPlace(openKernels(module, shapeOf(ordering)), shapeOf(ordering), text, limit);
      const left = wanted(split(text.subarray(0, outcome.bytes), ordering), limit);
      expect(
        join(left, ordering).equals(join(wanted(sorted, limit), ordering)),
        `${name}, ${limit.end} ${limit.count}`,
      ).toBe(true);
      expect(outcome.records).toBeLessThan(limit.count + INDEX_STEP);
    }
  }
});
