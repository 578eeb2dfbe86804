/** Sample sort on the CPU engine: distribution into buckets and the sorted result, whatever the splitters. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Distribution } from '../../../src/engines/cpu/distribute.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { compareRecords } from '../../../src/keys/compare.js';
import type { DistributionLimits } from '../../../src/keys/splitters.js';
import { DISTRIBUTIONS, inputs, recordsOf, seedFor } from '../../support/distributions.js';
import { largeRecord } from '../../support/jobs.js';
import { KEYED_ORDERINGS, numberLines, sortedNumbers } from '../../support/keyed.js';
import { byLines, ORDERINGS } from '../../support/orderings.js';
import { property } from '../../support/property.js';
import { random } from '../../support/random.js';
import { join, sortedRecords, split } from '../../support/records.js';
import { sampled } from '../../support/tier.js';
import { BUCKETS, CHUNK_BYTES, engineFor, runsOf, sampleSorted, UNLIMITED } from './sample-sort.js';

const COUNT = 700;
const expectSame = (found: Buffer, records: readonly Uint8Array[], ordering: Ordering): void => {
  expect(Buffer.compare(found, join(sortedRecords(records, ordering), ordering))).toBe(0);
};

describe.each(ORDERINGS)('%s', (by, ordering) => {
  property(
    'puts buckets in order, each in input order',
    [inputs([COUNT])],
    async (input) => {
      const records = recordsOf(ordering, input);
      const engine = await engineFor(ordering, records.slice(0, 200));
      const chunks = records.slice();
      for (const { run } of await runsOf(engine, ordering, records)) {
        const text = Buffer.from((run as unknown as { memory: SharedArrayBuffer }).memory, 0, run.end.byte);
        expect(run.buckets).toHaveLength(BUCKETS);
        expect(run.buckets!.at(-1)).toBe(run.end.byte);
        const buckets = run.buckets!.map((end, bucket) =>
          split(text.subarray(bucket === 0 ? 0 : run.buckets![bucket - 1], end), ordering),
        );
        const input = chunks.splice(0, buckets.flat().length);
        let last: Uint8Array | null = null;
        for (const bucket of buckets) {
          // A bucket holds its records in input order.
          const members = new Set(bucket.map((record) => Buffer.from(record).toString('latin1')));
          const wanted = input.filter((record) => members.has(record.toString('latin1')));
          expect(Buffer.concat(bucket).equals(Buffer.concat(wanted))).toBe(true);
          const sorted = bucket.slice().sort((a, b) => compareRecords(ordering, a, b));
          if (sorted.length === 0) continue;
          if (last !== null) expect(compareRecords(ordering, last, sorted[0])).toBeLessThan(0);
          last = sorted.at(-1)!;
        }
      }
      expect(chunks).toEqual([]);
      await engine.close();
    },
    { runs: 8, seed: seedFor(by) },
  );

  // Memory for all runs, for none, and amounts that run out before, when and after distribution stops.
  property(
    'sorts with any sample, in any memory, and if distribution stops',
    [
      inputs([COUNT]),
      fc.constantFrom('good', 'one record', 'of other records'),
      fc.constantFrom(null, 0, 2500, 4000, 6000, 9000),
      fc.constantFrom({}, { limits: { bytes: 4000 } }),
    ],
    async (input, sampling, residentBytes, bounds) => {
      const records = recordsOf(ordering, input);
      const sample =
        sampling === 'of other records'
          ? recordsOf(ordering, { ...input, distribution: 'twins' })
          : records.slice(0, sampling === 'good' ? 200 : 1);
      expectSame(await sampleSorted(ordering, records, sample, { residentBytes, ...bounds }), records, ordering);
    },
    { runs: 15, seed: seedFor(by) },
  );
});

describe('distribution', () => {
  const ordering = byLines();
  const uniform = DISTRIBUTIONS.uniform(COUNT, random(8));
  const ascending = sortedRecords(uniform, ordering);
  /** For each chunk, whether it was distributed. */
  async function distributed(
    records: readonly Buffer[],
    sample: readonly Buffer[],
    limits: Partial<DistributionLimits>,
  ): Promise<boolean[]> {
    const engine = await engineFor(ordering, sample, { limits });
    const slices = await runsOf(engine, ordering, records);
    await engine.close();
    return slices.map(({ run }) => run.buckets !== undefined);
  }

  it.each([
    ['one bucket is too large', { bucketBytes: 3000 }, ascending],
    ['the limit of bytes is reached', { bytes: 3000 }, uniform],
    ['one bucket has too large a share', { share: 0.5, judgedBytes: 3000 }, ascending],
  ] as const)('stops when %s', async (_, limits, records) => {
    const found = await distributed(records, ascending.slice(0, 60), limits);
    const first = found.indexOf(false);
    expect(first).toBeGreaterThan(1);
    expect(found.slice(first)).not.toContain(true);
  });

  it('does not stop otherwise', async () => {
    const limits = { share: 0.5, judgedBytes: 3000, bucketBytes: 1e6, bytes: 1e6 };
    expect(await distributed(uniform, uniform.slice(0, 200), limits)).not.toContain(false);
  });

  it('judges the shares of buckets only after enough bytes', () => {
    const distribution = new Distribution(2, { ...UNLIMITED, share: 0.5, judgedBytes: 200 });
    distribution.add([100, 100]);
    expect(distribution.goesOn).toBe(true);
    distribution.add([10, 100]);
    expect(distribution.goesOn).toBe(false);
  });
});

describe('keyed lines', () => {
  const KEYED = KEYED_ORDERINGS.flatMap(([by, ordering]) =>
    [null, 0].map((residentBytes) => ({ by, ordering, residentBytes })),
  );
  const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

  it.each(sampled(KEYED, { count: KEYED.length, seed: 1, values: ({ by, residentBytes }) => [by, residentBytes] }))(
    'are sorted: $by, with memory for $residentBytes bytes of runs',
    async ({ ordering, residentBytes }) => {
      const lines = numberLines(3000, 5);
      const records = lines.map((line) => Buffer.from(line));
      expect((await sampleSorted(ordering, records, records.slice(0, 100), { residentBytes })).toString()).toBe(
        textOf(sortedNumbers(lines, ordering)),
      );
    },
  );
});

it('places records larger than a chunk among buckets', async () => {
  const records = DISTRIBUTIONS.uniform(COUNT, random(7));
  const wide = Buffer.alloc(3 * CHUNK_BYTES, '8');
  const found = await sampleSorted(byLines(), records, records.slice(0, 100), {}, [largeRecord(wide)]);
  expectSame(found, [...records, wide], byLines());
});
