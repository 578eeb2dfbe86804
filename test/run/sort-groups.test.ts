/**
 * BAM, and SAM as BAM, sorted in tiny groups and merges in the calling thread, against plain sorts of the records.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Declined } from '../../src/contract/engine.js';
import { casesOfBam } from '../engines/bam/cases.js';
import { bamOrdering, type GroupSort, sortedInGroups } from '../engines/bam/in-groups.js';
import { header, inOrder, records } from '../engines/bam/sorting.js';
import { bamRecord, parseRecords } from '../records/bam-reference.js';
import { bgzf, encodeBam } from '../support/genomics-bam.js';
import { alignments, CONTIGS, sam } from '../support/genomics-data.js';
import { compareNatural, templateOf } from '../support/genomics-orders.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';

const head = header();
const fileOf = (all: readonly Buffer[], blockText?: number): Buffer =>
  bgzf(Buffer.concat([head, ...all]), 0, blockText);

async function expectSorted(all: readonly Buffer[], options: GroupSort, blockText = 5000): Promise<void> {
  const { text, blocks, records: count } = await sortedInGroups([fileOf(all, blockText)], head.length, options);
  const expected = inOrder(all);
  expect([text.equals(expected), blocks.equals(expected), count]).toEqual([true, true, all.length]);
}

describe('BAM in groups', () => {
  casesOfBam((files, headerBytes, usual) =>
    sortedInGroups(files, headerBytes, usual === true ? {} : { groupBytes: 70_000 }),
  );

  const some = records(1500, 200, 11);

  it.each([
    ['of a few blocks, uncompressed', 700, { groupBytes: 3000, level: 0 }],
    ['in threads', 7000, { groupBytes: 66_000, workers: 2 }],
  ])('has the same records in groups %s', async (_, blockText, options) => {
    await expectSorted(some, options, blockText);
  });

  it('has the same records however few blocks are left at the end of a stretch', async () => {
    for (let groupBytes = 1500; groupBytes <= 3000; groupBytes += 250)
      await expectSorted(some.slice(0, 200), { groupBytes, level: 6 }, 100);
  });

  it('gives away only the text outside blocks if the rest is not wanted', async () => {
    const { text, blocks } = await sortedInGroups([fileOf(some, 7000)], head.length, { wantsText: false });
    expect(blocks.equals(inOrder(some))).toBe(true);
    expect(text.length).toBeLessThan(2 * 0xff00);
  });

  it.each([0, 1, 65_279, 65_280, 65_281])('may have a header of %d bytes and more', async (more) => {
    const long = header(more);
    const file = bgzf(Buffer.concat([long, ...some.slice(0, 300)]), 1, 9000);
    const { blocks } = await sortedInGroups([file], long.length, { groupBytes: 9000 });
    expect(blocks.equals(inOrder(some.slice(0, 300)))).toBe(true);
  });

  it('may have records that look like several records, and end far after their group', async () => {
    // Each guess inside them is wrong, because more than eight records follow one another.
    const decoys = records(60, 40, 3);
    const all = Array.from({ length: 30 }, (_, i) =>
      bamRecord({ reference: i % 3, body: Buffer.concat([Buffer.alloc(i * 37), ...decoys]) }),
    );
    await expectSorted(all, { groupBytes: 24_000 }, 1500);
  });

  it('may have records that span several groups of a stretch', async () => {
    const all = Array.from({ length: 12 }, (_, i) => bamRecord({ reference: i % 3, body: Buffer.alloc(9000, i) }));
    const file = bgzf(Buffer.concat([head, ...all]), 1, 999);
    expect(file.length).toBeLessThan(8000);
    const { blocks } = await sortedInGroups([file], head.length, { groupBytes: 4000 });
    expect(blocks.equals(inOrder(all))).toBe(true);
  });

  it('may have groups that become longer', async () => {
    const long = Array.from({ length: 60 }, (_, i) => bamRecord({ reference: i % 3, body: Buffer.alloc(50_000, i) }));
    await expectSorted(long, { groupBytes: 66_000, laterGroupBytes: 700_000 }, 60_000);
  });

  it('is declined if a record ends after a stretch that follows its group', async () => {
    const long = fileOf([bamRecord({ body: Buffer.alloc(200_000) })], 999);
    await expect(sortedInGroups([long], head.length, { groupBytes: 2000 })).rejects.toThrow(Declined);
  });

  it('merges into the store, and from it, whatever does not fit into memory', async () => {
    const { blocks, stored } = await sortedInGroups([fileOf(some, 2000)], head.length, {
      ...{ groupBytes: 10_000, residentBytes: 60_000 },
    });
    expect(stored).toBeGreaterThan(1);
    expect(blocks.equals(inOrder(some))).toBe(true);
  });

  it('is sorted twice at the same time in one thread', async () => {
    const other = records(1000, 300, 12);
    await Promise.all([some, other].map((all) => expectSorted(all, { groupBytes: 40_000, level: 9 })));
  });
});

describe('SAM in groups', () => {
  const contigs = Buffer.from(CONTIGS.map(([name]) => `${name}\n`).join(''));
  const writtenBytes = encodeBam(sam([])).length;
  const asBam = (lines: readonly string[]): Buffer => encodeBam(sam(lines)).subarray(writtenBytes);
  const expected = (lines: readonly string[]): Buffer => inOrder(parseRecords(asBam(lines), CONTIGS.length).records);
  const text = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
  const sortLines = async (files: readonly Buffer[], groupBytes?: number): Promise<Buffer> =>
    (await sortedInGroups(files, 0, { contigs, writtenBytes, ...(groupBytes && { groupBytes }) })).blocks;
  const lines = alignments(31, 1500);

  it.each([undefined, 2000])('is sorted as BAM in groups of %s bytes', async (groupBytes) => {
    expect((await sortLines([text(lines)], groupBytes)).equals(expected(lines))).toBe(true);
  });

  it('may be several files, the last lines of which have no newline, and files without records', async () => {
    const files = [text(lines.slice(0, 900)).subarray(0, -1), Buffer.alloc(0), text(lines.slice(900)).subarray(0, -1)];
    expect((await sortLines(files, 4000)).equals(expected(lines))).toBe(true);
  });

  const long = (bytes: number): string => `long\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\tXX:Z:${'x'.repeat(bytes)}`;

  it('may become longer than it was, and have lines of up to eight groups', async () => {
    const short = Array.from({ length: 2000 }, (_, i) => `${i % 10}\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*`);
    const some = [...short, ...lines.slice(0, 50), long(30_000), ...lines.slice(50, 90), long(31_000)];
    expect((await sortLines([text(some)], 4000)).equals(expected(some))).toBe(true);
    await expect(sortLines([text([...some, long(32_000)])], 4000)).rejects.toThrow('a line is too long');
    await expect(sortLines([text([long(100_000)]).subarray(0, -1)], 4000)).rejects.toThrow(Declined);
  });

  it.each([
    ['no alignment', 'not a line of SAM', 'a line cannot be converted'],
    ['empty', '', 'a line cannot be converted'],
    ['of a contig that is not listed', 'a\t0\tother\t5\t0\t*\t*\t0\t0\t*\t*', 'a line cannot be converted'],
    ['of a contig, but no position', 'a\t0\tchr1\t0\t0\t*\t*\t0\t0\t*\t*', 'a record has a reference, but no position'],
  ])('is declined if a line is %s', async (_, line, why) => {
    const all = [...lines.slice(0, 200), line, ...lines.slice(200, 300)];
    await expect(sortLines([text(all)], 3000)).rejects.toThrow(why);
    await expect(sortLines([text(all)], 3000)).rejects.toThrow(Declined);
  });
});

describe('names in groups', () => {
  interface Named {
    readonly name: string;
    readonly flag: number;
  }
  const COMPARE = {
    queryname: compareNatural,
    'queryname-ascii': (a: string, b: string) => Number(a > b) - Number(a < b),
  };
  const ORDERINGS = Object.keys(COMPARE).flatMap((by) => [bamOrdering(by), bamOrdering(by, ['-r'])]);

  /** A record whose body shows its place in the input. */
  function recordOf({ name, flag }: Named, place: number): Buffer {
    const bytes = bamRecord({ name: Buffer.from(`${name}\0`, 'latin1'), body: Buffer.from(`${place};`.repeat(3)) });
    bytes.writeUInt16LE(flag, 18);
    return bytes;
  }

  async function check(named: readonly Named[], groupBytes: number): Promise<void> {
    const file = fileOf(named.map(recordOf), 5000);
    for (const [i, ordering] of ORDERINGS.entries()) {
      const compare = Object.values(COMPARE)[i >> 1];
      const placed = named.map((one, place) => ({ ...one, bytes: recordOf(one, place) }));
      placed.sort(
        (a, b) => (compare(a.name, b.name) || templateOf(a.flag) - templateOf(b.flag)) * (ordering.reverse ? -1 : 1),
      );
      const { blocks } = await sortedInGroups([file], head.length, { ordering, groupBytes });
      expect(blocks.equals(Buffer.concat(placed.map(({ bytes }) => bytes))), `${i}`).toBe(true);
    }
  }

  const FLAGS = [0, 4, 16, 0x41, 0x81, 0x141, 0x181, 0x841, 0x881, 0x41 | 16];
  type Below = (limit: number) => number;

  it.each<[string, (below: Below, i: number) => string]>([
    [
      'of a sequencer',
      (below) => `A00:46:HV3:${1 + below(2)}:${1101 + below(3)}:${below(9) === 0 ? 7 : below(40_000)}`,
    ],
    ['that are few', (below) => `read${below(5)}`],
    ['that are empty', () => ''],
    ['with a long beginning', (below) => (below(300) === 0 ? 'other' : `long beginning of ${below(300)}`)],
    ['in order', (_, i) => `read${i}`],
    ['with numbers of any length', (below) => '1234567890'.repeat(25).slice(0, below(250))],
    ['with leading zeros', (below) => `a${'0'.repeat(below(20))}${below(3)}b`],
    ['that are long and turn', (below) => `${'a1'.repeat(124)}${below(3)}${below(3)}`],
  ])('are in order: names %s', async (_, nameOf) => {
    const below = randomBelow(7);
    await check(
      Array.from({ length: 250 }, (_, i) => ({ name: nameOf(below, i), flag: FLAGS[below(FLAGS.length)] })),
      6000,
    );
  });

  property(
    'are in the order of the model',
    [
      fc.array(
        fc.record({
          name: fc.string({ unit: fc.constantFrom('0', '1', '9', '10', 'a', 'Z', ':', '_', '\xff'), maxLength: 24 }),
          flag: fc.constantFrom(...FLAGS),
        }),
        { minLength: 1, maxLength: 200 },
      ),
    ],
    (named) => check(named, 5000),
    { runs: 40, seed: 3 },
  );
});
