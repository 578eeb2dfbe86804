/**
 * The CPU engine with a limit to the first or the last records. Texts sorted one after another, and merges of runs,
 * must keep all records within the limit and no more.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCpuEngine } from '../../../src/engines/cpu/engine.js';
import { mergeTexts } from '../../../src/engines/cpu/merge-texts.js';
import { shapeOf } from '../../../src/engines/cpu/shape.js';
import { TILE_BYTES } from '../../../src/engines/cpu/tiles.js';
import type { Limit } from '../../../src/job/job.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { wholeRun } from '../../../src/runs/partition.js';
import { finish } from '../../../src/system/resumable.js';
import { DISTRIBUTIONS, inputs, recordsOf, seedFor, seeds } from '../../support/distributions.js';
import { collector, runOf, silent } from '../../support/jobs.js';
import { byFixed, byLines, ORDERINGS, recordsFor } from '../../support/orderings.js';
import { property } from '../../support/property.js';
import { random } from '../../support/random.js';
import { join, sortedRecords, split } from '../../support/records.js';
import { sampled } from '../../support/tier.js';
import { expectText, kernelsFor, repeatedRecords, sortInPlace } from './support.js';

/** The records of `sorted` within the limit. */
function wanted<T>(sorted: readonly T[], { count, end }: Limit): T[] {
  return end === 'first' ? sorted.slice(0, count) : sorted.slice(Math.max(0, sorted.length - count));
}

const limits = fc.record({ count: fc.constantFrom(1, 16, 17, 350), end: fc.constantFrom('first', 'last') });

const expectSame = (found: readonly Uint8Array[], expected: readonly Uint8Array[], ordering: Ordering): void => {
  expect(Buffer.compare(join(found, ordering), join(expected, ordering))).toBe(0);
};

describe.each(ORDERINGS)('%s', (by, ordering) => {
  property(
    'keeps the first or last records of texts',
    [limits, inputs([1])],
    (limit, input) => {
      const kernels = kernelsFor(ordering);
      const all: Buffer[] = [];
      const kept: Buffer[] = [];
      // The more records earlier texts held, the fewer later texts must keep.
      for (const [i, count] of [3, 400, 1, 700, 300].entries()) {
        const records = recordsOf(ordering, { ...input, count, seed: input.seed + i });
        const text = join(records, ordering);
        const outcome = sortInPlace(kernels, ordering, text, limit);
        expect(outcome.records).toBeLessThanOrEqual(limit.count);
        const left = split(text.subarray(0, outcome.bytes), ordering).map((record) => Buffer.from(record));
        expectText(outcome, text, sortedRecords(left, ordering), ordering);
        all.push(...records);
        kept.push(...left);
      }
      expectSame(wanted(sortedRecords(kept, ordering), limit), wanted(sortedRecords(all, ordering), limit), ordering);
    },
    { runs: 25, seed: seedFor(by) },
  );

  property(
    'keeps the first records of merges',
    [fc.constantFrom(1, 16, 90, 5000), inputs([900])],
    (count, input) => {
      const records = recordsOf(ordering, input);
      const parts = [records.slice(0, 500), records.slice(500, 510), records.slice(510)].map((part) =>
        join(sortedRecords(part, ordering), ordering),
      );
      for (const most of [undefined, 0]) {
        const target = Buffer.alloc(join(records, ordering).length);
        const outcome = finish(
          mergeTexts(
            kernelsFor(ordering),
            shapeOf(ordering),
            { texts: parts, depth: 0, target, form: 'run', limit: { count, end: 'first' } },
            most,
          ),
        );
        expect(outcome.records).toBeLessThanOrEqual(count);
        const left = split(target.subarray(0, outcome.bytes), ordering).slice(0, count);
        expectSame(left, sortedRecords(records, ordering).slice(0, count), ordering);
      }
    },
    { runs: 25, seed: seedFor(by) },
  );

  property(
    'keeps the first or last records of chunks and their runs in the engine',
    [fc.constantFrom(1, 40, 3000), fc.constantFrom('first', 'last'), seeds],
    async (count, end, seed) => {
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
      const chunks = [300, 500, 700, 900].map((records) =>
        recordsOf(ordering, { distribution: 'lengths', count: records, seed: seed + records }),
      );
      const runs = [];
      for (const chunk of chunks) runs.push(await runOf(engine, join(chunk, ordering)));
      const out = collector();
      for (const sorted of await engine.merge(runs.map(wholeRun), 0)) await sorted.emit(out.write);
      expectSame(
        wanted(split(out.bytes(), ordering), limit),
        wanted(sortedRecords(chunks.flat(), ordering), limit),
        ordering,
      );
      await engine.close();
    },
    { runs: 6, seed: seedFor(by) },
  );
});

const LARGE = (
  [
    ['sixteen', byLines()],
    ['urls', byLines({ unique: true, lastResort: false })],
    ['uniform', byFixed(64, [0, 8], { reverse: true })],
  ] as const
).flatMap(([name, ordering]) =>
  [20, 50_001].flatMap((count) => (['first', 'last'] as const).map((end) => ({ name, ordering, count, end }))),
);

describe('keeps the records within the limit of texts of several tiles', () => {
  it.each(sampled(LARGE, { count: LARGE.length, seed: 1, values: ({ count, end }) => [count, end] }))(
    '$name, $end $count',
    ({ name, ordering, ...limit }) => {
      const some = recordsFor(ordering, DISTRIBUTIONS[name](6000, random(9)));
      const { text, sorted } = repeatedRecords(some, 2.5 * TILE_BYTES, ordering);
      const outcome = sortInPlace(kernelsFor(ordering), ordering, text, limit);
      const left = wanted(split(text.subarray(0, outcome.bytes), ordering), limit);
      expectSame(left, wanted(sorted, limit), ordering);
      expect(outcome.records).toBeLessThanOrEqual(limit.count);
    },
  );
});
