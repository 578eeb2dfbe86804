/** New IDs in the tags of alignments, against a plain replacement in split lines: cut anywhere, long, damaged. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BamFramer } from '../../src/records/bam.js';
import type { Framer } from '../../src/records/record-finder.js';
import { bamRenamer, type Renaming, samRenamer } from '../../src/records/renaming.js';
import { type PartSizes, partSizes, partsOf } from '../support/cuts.js';
import { encodeBam } from '../support/genomics-bam.js';
import { alignments, longAlignment, SAM_HEADER, sam } from '../support/genomics-data.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';

const RENAMING: Renaming = {
  readGroups: [
    ['lane', 'lane-2'],
    ['a longer name', 'b'],
    ['', 'empty'],
  ],
  programs: [['bwa', 'bwa-2-2']],
};
const TAGS = ['RG:Z:lane', 'RG:Z:lane2', 'RG:Z:a longer name', 'RG:Z:', 'PG:Z:bwa', 'PG:Z:lane', 'PG:A:b', 'RG:H:1A'];
const HEADER_BYTES = encodeBam(SAM_HEADER).length;

/** Alignments with some of these tags among the others. */
function tagged(below: RandomBelow, count: number): string[] {
  return alignments(below(1000), count).map((line) => {
    const fields = line.split('\t');
    for (const tag of TAGS)
      if (below(4) === 0)
        fields.splice(11 + below(fields.length - 10), 0, tag.replace('RG', below(9) === 0 ? 'rg' : 'RG'));
    return fields.join('\t');
  });
}

/** The reference. */
function renamed(line: string): string {
  const ids = { 'RG:Z:': new Map(RENAMING.readGroups), 'PG:Z:': new Map(RENAMING.programs) };
  return line
    .split('\t')
    .map((field, i) => {
      const [start, value] = [field.slice(0, 5), field.slice(5)];
      return i < 11 || !Object.hasOwn(ids, start)
        ? field
        : start + (ids[start as keyof typeof ids].get(value) ?? value);
    })
    .join('\t');
}

function through(framer: Framer, bytes: Uint8Array, sizes: PartSizes): Buffer {
  const parts = [...partsOf(bytes, sizes)].map((part) => Buffer.from(framer.next(Buffer.from(part))));
  return Buffer.concat([...parts, Buffer.from(framer.end())]);
}

const recordsOf = (lines: readonly string[]): Buffer => encodeBam(sam(lines)).subarray(HEADER_BYTES);
const expectBytes = (actual: Buffer, expected: Buffer): void =>
  expect(actual.toString('latin1')).toBe(expected.toString('latin1'));

property(
  'renames the tags of SAM and BAM wherever the text is cut',
  [fc.nat(), fc.nat(30), partSizes(700)],
  (seed, count, sizes) => {
    const lines = tagged(randomBelow(seed), count);
    const bytes = Buffer.from(sam(lines, ''), 'latin1');
    expectBytes(through(samRenamer(RENAMING), bytes, sizes), Buffer.from(sam(lines.map(renamed), ''), 'latin1'));
    expectBytes(through(bamRenamer(RENAMING, 'x.bam'), recordsOf(lines), sizes), recordsOf(lines.map(renamed)));
  },
  { runs: 400 },
);

describe('SAM', () => {
  const rename = (text: string): string => through(samRenamer(RENAMING), Buffer.from(text), [3]).toString();
  const line = 'r\t0\tc\t1\t9\t*\t*\t0\t0\tACGTACGTA\tRG:Z:lane';

  it.each([
    ['qualities that look like a tag', `${line}\n`, `${line}\n`],
    ['a name that looks like a tag', `RG:Z:lane${line}\tRG:Z:lane\n`, `RG:Z:lane${line}\tRG:Z:lane-2\n`],
    ['a last line without a newline', `${line}\tRG:Z:lane`, `${line}\tRG:Z:lane-2`],
    ['a carriage return', `${line}\tRG:Z:lane\r\n`, `${line}\tRG:Z:lane-2\r\n`],
    ['a line with too few fields', 'r\t0\tRG:Z:lane\n', 'r\t0\tRG:Z:lane\n'],
    ['both tags in the other order', `${line}\tPG:Z:bwa\tRG:Z:lane\n`, `${line}\tPG:Z:bwa-2-2\tRG:Z:lane-2\n`],
  ])('has %s', (_, text, expected) => {
    expect(rename(text)).toBe(expected);
  });
});

describe('BAM', () => {
  const long = (id: string): string => `${longAlignment(20_000)}\tRG:Z:${id}`;

  it('renames a tag of a record that is longer than a block', () => {
    const records = recordsOf([long('lane'), long('other')]);
    const expected = recordsOf([long('lane-2'), long('other')]);
    for (const sizes of [[1 << 12], [1 << 30], [1000, 1]])
      expect(through(bamRenamer(RENAMING, 'x.bam'), records, sizes).equals(expected)).toBe(true);
  });

  it('passes damaged records on, so that the framer reports them with their number', () => {
    const lines = ['a', 'b', 'c'].map((name) => `${name}\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\tRG:Z:lane`);
    const whole = recordsOf(lines);
    const second = recordsOf(lines.slice(0, 1)).length;
    const damage = (change: (bytes: Buffer) => void): string => {
      const bytes = Buffer.from(whole);
      change(bytes);
      const framer = new BamFramer('x.bam', { references: [], bytes: null });
      const passed = through(bamRenamer(RENAMING, 'x.bam'), bytes, [50]);
      try {
        through(framer, passed, [60]);
        return 'framed';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(damage((bytes) => bytes.writeInt32LE(7, second))).toMatch(/^x\.bam: record 2 has a length of 7/);
    expect(damage((bytes) => bytes.writeInt32LE(-1, second))).toMatch(/^x\.bam: record 2 has a length of -1/);
    expect(damage((bytes) => bytes.writeInt32LE(1 << 20, second + 20))).toMatch(/^x\.bam: record 2 has \d+ bytes, but/);
    expect(damage((bytes) => bytes.writeInt32LE(1 << 30, second))).toBe('x.bam: record 2 is cut off');
    // The type of a tag that no specification knows: the tags after it cannot be found.
    expect(damage((bytes) => bytes.write('?', whole.length - 6))).toBe('framed');
  });
});
