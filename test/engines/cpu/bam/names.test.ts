/** BAM that threads sort by name, in tiny groups and ranges, against a plain model of the orders. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Declined } from '../../../../src/contract/engine.js';
import { CpuBamSort } from '../../../../src/engines/cpu/bam/sort-bam.js';
import { MiB } from '../../../../src/report/units.js';
import { bamRecord } from '../../../records/bam-reference.js';
import { bgzf } from '../../../support/genomics-bam.js';
import { compareNatural, templateOf } from '../../../support/genomics-orders.js';
import { silent } from '../../../support/jobs.js';
import { property } from '../../../support/property.js';
import { randomBelow } from '../../../support/random.js';
import { header, REFERENCES, rowsBy, sorted } from '../../bam/sorting.js';

interface Named {
  readonly name: string;
  readonly flag: number;
}

/** A record whose body shows its place in the input. */
function record({ name, flag }: Named, place: number): Buffer {
  const bytes = bamRecord({ name: Buffer.from(`${name}\0`, 'latin1'), body: Buffer.from(`${place};`.repeat(3)) });
  bytes.writeUInt16LE(flag, 18);
  return bytes;
}

const COMPARE = {
  queryname: compareNatural,
  'queryname-ascii': (a: string, b: string) => Number(a > b) - Number(a < b),
};
type Names = keyof typeof COMPARE;

function expectedOf(order: Names, records: readonly Named[]): Buffer {
  const placed = records.map((one, place) => ({ ...one, bytes: record(one, place) }));
  placed.sort((a, b) => COMPARE[order](a.name, b.name) || templateOf(a.flag) - templateOf(b.flag));
  return Buffer.concat(placed.map(({ bytes }) => bytes));
}

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
  for (const order of ['queryname', 'queryname-ascii'] as const)
    expect((await sortedOf(order, records, groupBytes, workers)).equals(expectedOf(order, records)), order).toBe(true);
}

const FLAGS = [0, 4, 16, 0x41, 0x81, 0x141, 0x181, 0x841, 0x881, 0x41 | 16];

/** Names of a sequencer. */
function sequenced(seed: number, count: number): Named[] {
  const below = randomBelow(seed);
  return Array.from({ length: count }, () => ({
    name: `A00:46:HV3:${1 + below(2)}:${1101 + below(3)}:${below(40_000)}:${below(9) === 0 ? 7 : below(40_000)}`,
    flag: FLAGS[below(FLAGS.length)],
  }));
}

it('is sorted in groups and ranges of any size, and in threads', async () => {
  const records = sequenced(1, 4000);
  await check(records, 66_000);
  await check(records, 66_000, 2);
  await check(records, 10e6);
});

it.each([
  ['few names', (below: (limit: number) => number) => `read${below(5)}`],
  ['one name', () => 'the only one'],
  ['no names', () => ''],
  [
    'one other name',
    (below: (limit: number) => number) => (below(900) === 0 ? 'other' : `long beginning of ${below(300)}`),
  ],
  ['names in order', (_: unknown, i: number) => `read${i}`],
  ['names in reverse order', (_: unknown, i: number) => `read${5000 - i}`],
  ['numbers of any length', (below: (limit: number) => number) => '1234567890'.repeat(25).slice(0, below(250))],
  ['leading zeros', (below: (limit: number) => number) => `a${'0'.repeat(below(20))}${below(3)}b`],
  ['long names that turn', (below: (limit: number) => number) => `${'a1'.repeat(124)}${below(3)}${below(3)}`],
  [
    'bytes of any value',
    (below: (limit: number) => number) => String.fromCharCode(...Array.from({ length: below(6) }, () => below(256))),
  ],
])('may have %s', async (_, nameOf) => {
  const below = randomBelow(7);
  const records = Array.from({ length: 3000 }, (_, i) => ({
    name: nameOf(below, i),
    flag: FLAGS[below(FLAGS.length)],
  }));
  await check(records, 66_000);
});

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
