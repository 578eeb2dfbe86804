/** BAM that threads sort by name, in tiny groups and ranges, against a plain model of the orders. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Declined } from '../../../../src/contract/engine.js';
import { CpuBamSort } from '../../../../src/engines/cpu/bam/sort-bam.js';
import { MiB } from '../../../../src/report/units.js';
import { bgzf } from '../../../support/genomics-bam.js';
import { compareNatural } from '../../../support/genomics-orders.js';
import { silent } from '../../../support/jobs.js';
import { property } from '../../../support/property.js';
import { casesOfNames, expectedOf, FLAGS, NAME_ORDERS, type Named, record, sequenced } from '../../bam/names.js';
import { header, REFERENCES, rowsBy, sorted } from '../../bam/sorting.js';

const head = header();

async function sortedOf(
  by: string,
  records: readonly Named[],
  groupBytes: number,
  workers = 0,
  memoryBytes = 1024 * MiB,
): Promise<Buffer> {
  const file = bgzf(Buffer.concat([head, ...records.map(record)]), 1, 5000);
  const input = { bytes: file.length, keptBytes: () => 0, rows: rowsBy(by), references: REFERENCES, contigs: null };
  const resources = { workers, helps: workers === 0, memoryBytes, level: 1 };
  const { blocks } = await sorted(new CpuBamSort(input, resources, silent, groupBytes), [file], head.length);
  return blocks;
}

async function check(records: readonly Named[], groupBytes: number, workers = 0): Promise<void> {
  for (const order of NAME_ORDERS)
    expect((await sortedOf(order, records, groupBytes, workers)).equals(expectedOf(order, records)), order).toBe(true);
}

it('is sorted in groups and ranges of any size, and in threads', async () => {
  const records = sequenced(1, 4000);
  await check(records, 66_000);
  await check(records, 66_000, 2);
  await check(records, 10e6);
});

casesOfNames((records) => check(records, 66_000), 3000);

property(
  'is in the order of the model, whatever the names are',
  [
    fc.array(
      fc.record({
        name: fc.string({ unit: fc.constantFrom('0', '1', '9', '10', 'a', 'Z', ':', '_', '\xff'), maxLength: 24 }),
        flag: fc.constantFrom(...FLAGS),
      }),
      { minLength: 1, maxLength: 400 },
    ),
  ],
  async (records) => check(records, 66_000),
  { runs: 150, seed: 3 },
);

it('is declined if its rows do not fit into memory', async () => {
  const records = Array.from({ length: 4000 }, (_, i) => ({ name: `${'a1'.repeat(122)}${i}`, flag: 0 }));
  const bytes = Buffer.concat(records.map(record)).length;
  const [little, enough] = [1.9 * bytes, 3 * bytes].map((own) => own + 10 * 66_000);
  await expect(sortedOf('queryname', records, 66_000, 0, little)).rejects.toThrow(/^its text of .* does not fit/);
  expect((await sortedOf('queryname', records, 66_000, 0, enough)).length).toBe(bytes);
});

it('is in the order of any keys, and records without one are left to lines', async () => {
  const tagged = Array.from({ length: 3000 }, (_, i) => ({ name: `r${i}`, flag: FLAGS[(i * 7) % FLAGS.length] }));
  const placed = tagged.map((one, place) => ({ ...one, bytes: record(one, place) }));
  const byFlag = placed.toSorted((a, b) => b.flag - a.flag || compareNatural(a.name, b.name));
  const expected = Buffer.concat(byFlag.map(({ bytes }) => bytes));
  expect((await sortedOf('flag:r,queryname', tagged, 66_000)).equals(expected)).toBe(true);
  // What follows their bases is not tags.
  await expect(sortedOf('tag:NM', tagged, 66_000)).rejects.toThrow(Declined);
});
